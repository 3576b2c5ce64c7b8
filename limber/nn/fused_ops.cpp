// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/fused_ops.h"

#include <cmath>

#include "limber/nn/device.h"
#include "limber/nn/fused_kernels.h"

namespace limber::nn {
namespace plain {
namespace {

/// [batch, rounds, groups, run, width] of rows that share `modulation`.
Tensor by_group(const Tensor& x, const Tensor& modulation, std::int64_t run) {
  const std::int64_t groups = modulation.size(1);
  return x.reshape({x.size(0), x.size(1) / (groups * run), groups, run, x.size(2)});
}
Tensor for_rows(const Tensor& modulation) { return modulation.unsqueeze(1).unsqueeze(3); }

}  // namespace

Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps) {
  const LayerNorm norm = plain_layer_norm(x.size(-1), eps);
  // One kernel for a product and a sum: memory, not arithmetic, takes the time.
  return at::addcmul(for_rows(shift), by_group(norm(x), shift, run), 1 + for_rows(scale)).flatten(1, 3);
}

Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run) {
  return at::addcmul(by_group(x, gate, run), by_group(u, gate, run), 1 + for_rows(gate)).flatten(1, 3);
}

Heads norm_heads(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads) {
  const std::vector<Tensor> parts = qkv.unflatten(-1, {3, heads, qkv.size(-1) / (3 * heads)}).unbind(2);
  return {norm_q(parts[0]).flatten(2), norm_k(parts[1]).flatten(2), parts[2].flatten(2)};
}

}  // namespace plain

#ifdef LIMBER_FUSED_CUDA
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const cuda::Bf16* bf16_bits(const Tensor& x) { return static_cast<const cuda::Bf16*>(x.data_ptr()); }
cuda::Bf16* bf16_bits_out(const Tensor& x) { return static_cast<cuda::Bf16*>(x.data_ptr()); }
Tensor float_like(const Tensor& x, at::IntArrayRef shape) { return at::empty(shape, x.options().dtype(at::kFloat)); }

cuda::ModulatedRows rows_of(const Tensor& x, const Tensor& modulation, std::int64_t run) {
  return {static_cast<int>(x.size(0)), static_cast<int>(x.size(1)), static_cast<int>(modulation.size(1)),
          static_cast<int>(run), static_cast<int>(x.size(2))};
}

bool fused(const Tensor& x) {
  return x.is_cuda() && x.scalar_type() == at::kBFloat16 && x.dim() == 3 &&
         cuda::supported_width(static_cast<int>(x.size(2)));
}

struct NormModulate : torch::autograd::Function<NormModulate> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& shift, const Tensor& scale,
                        std::int64_t run, double eps) {
    const Tensor in = x.contiguous(), add = shift.contiguous(), times = scale.contiguous(), out = at::empty_like(in);
    cuda::norm_modulate(bf16_bits(in), bf16_bits(add), bf16_bits(times), rows_of(in, times, run), eps,
                        bf16_bits_out(out), current_stream(in.device()));
    context->save_for_backward({in, times});
    context->saved_data["run"] = run, context->saved_data["eps"] = eps;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = grads[0].contiguous(), grad_x = at::empty_like(saved[0]);
    const cuda::ModulatedRows rows = rows_of(saved[0], saved[1], context->saved_data["run"].toInt());
    const Tensor partial = float_like(gradient, {2, cuda::piece_count(rows), rows.batch, rows.groups, rows.width});
    cuda::norm_modulate_backward(bf16_bits(saved[0]), bf16_bits(saved[1]), bf16_bits(gradient), rows,
                                 context->saved_data["eps"].toDouble(), bf16_bits_out(grad_x),
                                 partial.data_ptr<float>(), current_stream(gradient.device()));
    const Tensor sums = partial.sum(1).to(at::kBFloat16);
    return {grad_x, sums[0], sums[1], Tensor(), Tensor()};
  }
};

struct GatedAdd : torch::autograd::Function<GatedAdd> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& u, const Tensor& gate,
                        std::int64_t run) {
    const Tensor in = x.contiguous(), add = u.contiguous(), times = gate.contiguous(), out = at::empty_like(in);
    cuda::gated_add(bf16_bits(in), bf16_bits(add), bf16_bits(times), rows_of(in, times, run), bf16_bits_out(out),
                    current_stream(in.device()));
    context->save_for_backward({add, times});
    context->saved_data["run"] = run;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = grads[0].contiguous(), grad_u = at::empty_like(saved[0]);
    const cuda::ModulatedRows rows = rows_of(saved[0], saved[1], context->saved_data["run"].toInt());
    const Tensor partial = float_like(gradient, {cuda::piece_count(rows), rows.batch, rows.groups, rows.width});
    cuda::gated_add_backward(bf16_bits(saved[0]), bf16_bits(saved[1]), bf16_bits(gradient), rows, bf16_bits_out(grad_u),
                             partial.data_ptr<float>(), current_stream(gradient.device()));
    return {gradient, grad_u, partial.sum(0).to(at::kBFloat16), Tensor()};
  }
};

cuda::HeadRows head_rows(const Tensor& qkv, std::int64_t heads) {
  return {qkv.size(0) * qkv.size(1), static_cast<int>(heads), static_cast<int>(qkv.size(2) / (3 * heads))};
}

struct NormHeads : torch::autograd::Function<NormHeads> {
  static variable_list forward(AutogradContext* context, const Tensor& qkv, const Tensor& weights, std::int64_t heads,
                               double eps) {
    const Tensor in = qkv.contiguous(), table = weights.to(at::kFloat).contiguous();
    const auto make = [&] { return at::empty({in.size(0), in.size(1), in.size(2) / 3}, in.options()); };
    const Tensor queries = make(), keys = make(), values = make();
    cuda::norm_heads(bf16_bits(in), table.data_ptr<float>(), head_rows(in, heads), eps,
                     {bf16_bits_out(queries), bf16_bits_out(keys), bf16_bits_out(values)}, current_stream(in.device()));
    context->save_for_backward({in, table});
    context->saved_data["heads"] = heads, context->saved_data["eps"] = eps;
    return {queries, keys, values};
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor queries = grads[0].contiguous(), keys = grads[1].contiguous(), values = grads[2].contiguous();
    const Tensor grad_x = at::empty_like(saved[0]);
    const cuda::HeadRows rows = head_rows(saved[0], context->saved_data["heads"].toInt());
    const Tensor partial =
        float_like(grad_x, {cuda::kHeadBlocks, 2, rows.chunks(), 2, 64 / rows.channels, rows.channels});
    cuda::norm_heads_backward(bf16_bits(saved[0]), saved[1].data_ptr<float>(),
                              {bf16_bits(queries), bf16_bits(keys), bf16_bits(values)}, rows,
                              context->saved_data["eps"].toDouble(), bf16_bits_out(grad_x), partial.data_ptr<float>(),
                              current_stream(grad_x.device()));
    return {grad_x, partial.sum(at::IntArrayRef({0, 2, 4})).to(at::kBFloat16), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps) {
  return fused(x) ? NormModulate::apply(x, shift, scale, run, eps) : plain::norm_modulate(x, shift, scale, run, eps);
}

Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run) {
  return fused(x) ? GatedAdd::apply(x, u, gate, run) : plain::gated_add(x, u, gate, run);
}

Heads norm_heads(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads) {
  const std::int64_t channels = qkv.size(-1) / (3 * heads);
  const bool takes = qkv.is_cuda() && qkv.scalar_type() == at::kBFloat16 && qkv.dim() == 3 &&
                     cuda::supported_heads(static_cast<int>(heads), static_cast<int>(channels));
  if (!takes) return plain::norm_heads(qkv, norm_q, norm_k, heads);
  const Tensor weights = at::stack({norm_q.weight, norm_q.bias, norm_k.weight, norm_k.bias}).view({2, 2, channels});
  const variable_list parts = NormHeads::apply(qkv, weights, heads, norm_q.eps);
  return {parts[0], parts[1], parts[2]};
}

#else

Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps) {
  return plain::norm_modulate(x, shift, scale, run, eps);
}
Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run) {
  return plain::gated_add(x, u, gate, run);
}
Heads norm_heads(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads) {
  return plain::norm_heads(qkv, norm_q, norm_k, heads);
}

#endif

Tensor self_attention(const Tensor& qkv, const LayerNorm& norm_q, const LayerNorm& norm_k, std::int64_t heads) {
  const Heads seen = norm_heads(qkv, norm_q, norm_k, heads);
  // Views: the fused attention of LibTorch 2.x takes tokens in any order as long as a head's channels are side by side,
  // and so does it answer.
  const auto split = [&](const Tensor& x) { return split_heads(x, heads); };
  const auto channels = static_cast<double>(qkv.size(-1) / (3 * heads));
  return merge_heads(attention(split(seen.queries), split(seen.keys), split(seen.values), 1 / std::sqrt(channels)));
}

}  // namespace limber::nn
