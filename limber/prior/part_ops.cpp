// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/part_ops.h"

#include "limber/nn/device.h"
#include "limber/prior/part_kernels.h"

namespace limber::prior {
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
  const nn::LayerNorm norm = nn::plain_layer_norm(x.size(-1), eps);
  return nn::modulate(by_group(norm(x), shift, run), for_rows(shift), for_rows(scale)).flatten(1, 3);
}

Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run) {
  return x + ((1 + for_rows(gate)) * by_group(u, gate, run)).flatten(1, 3);
}

Tensor norm_heads(const Tensor& qkv, const nn::LayerNorm& norm_q, const nn::LayerNorm& norm_k, std::int64_t heads) {
  const std::vector<Tensor> parts = qkv.unflatten(-1, {3, heads, qkv.size(-1) / (3 * heads)}).unbind(2);
  return at::stack({norm_q(parts[0]), norm_k(parts[1]), parts[2]}, 2).flatten(2);
}

}  // namespace plain

#ifdef LIMBER_PRIOR_CUDA
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const cuda::Bf16* part_bits(const Tensor& x) { return static_cast<const cuda::Bf16*>(x.data_ptr()); }
cuda::Bf16* part_bits_out(const Tensor& x) { return static_cast<cuda::Bf16*>(x.data_ptr()); }
Tensor float_like(const Tensor& x, at::IntArrayRef shape) { return at::empty(shape, x.options().dtype(at::kFloat)); }

cuda::PartRows rows_of(const Tensor& x, const Tensor& modulation, std::int64_t run) {
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
    cuda::norm_modulate(part_bits(in), part_bits(add), part_bits(times), rows_of(in, times, run), eps,
                        part_bits_out(out), nn::current_stream(in.device()));
    context->save_for_backward({in, times});
    context->saved_data["run"] = run, context->saved_data["eps"] = eps;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = grads[0].contiguous(), grad_x = at::empty_like(saved[0]);
    const Tensor shift = float_like(gradient, saved[1].sizes()), scale = float_like(gradient, saved[1].sizes());
    cuda::norm_modulate_backward(part_bits(saved[0]), part_bits(saved[1]), part_bits(gradient),
                                 rows_of(saved[0], saved[1], context->saved_data["run"].toInt()),
                                 context->saved_data["eps"].toDouble(), part_bits_out(grad_x), shift.data_ptr<float>(),
                                 scale.data_ptr<float>(), nn::current_stream(gradient.device()));
    return {grad_x, shift.to(at::kBFloat16), scale.to(at::kBFloat16), Tensor(), Tensor()};
  }
};

struct GatedAdd : torch::autograd::Function<GatedAdd> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& u, const Tensor& gate,
                        std::int64_t run) {
    const Tensor in = x.contiguous(), add = u.contiguous(), times = gate.contiguous(), out = at::empty_like(in);
    cuda::gated_add(part_bits(in), part_bits(add), part_bits(times), rows_of(in, times, run), part_bits_out(out),
                    nn::current_stream(in.device()));
    context->save_for_backward({add, times});
    context->saved_data["run"] = run;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = grads[0].contiguous(), grad_u = at::empty_like(saved[0]);
    const Tensor gate = float_like(gradient, saved[1].sizes());
    cuda::gated_add_backward(part_bits(saved[0]), part_bits(saved[1]), part_bits(gradient),
                             rows_of(saved[0], saved[1], context->saved_data["run"].toInt()), part_bits_out(grad_u),
                             gate.data_ptr<float>(), nn::current_stream(gradient.device()));
    return {gradient, grad_u, gate.to(at::kBFloat16), Tensor()};
  }
};

struct NormHeads : torch::autograd::Function<NormHeads> {
  static Tensor forward(AutogradContext* context, const Tensor& qkv, const Tensor& weights, std::int64_t heads,
                        double eps) {
    const Tensor in = qkv.contiguous(), table = weights.to(at::kFloat).contiguous(), out = at::empty_like(in);
    cuda::norm_heads(part_bits(in), table.data_ptr<float>(), in.size(0) * in.size(1), static_cast<int>(heads), eps,
                     part_bits_out(out), nn::current_stream(in.device()));
    context->save_for_backward({in, table});
    context->saved_data["heads"] = heads, context->saved_data["eps"] = eps;
    return out;
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const Tensor gradient = grads[0].contiguous(), grad_x = at::empty_like(saved[0]);
    const std::int64_t heads = context->saved_data["heads"].toInt();
    const Tensor partial = float_like(gradient, {cuda::kHeadBlocks, 2, heads, 2, 64});
    cuda::norm_heads_backward(part_bits(saved[0]), saved[1].data_ptr<float>(), part_bits(gradient),
                              saved[0].size(0) * saved[0].size(1), static_cast<int>(heads),
                              context->saved_data["eps"].toDouble(), part_bits_out(grad_x), partial.data_ptr<float>(),
                              nn::current_stream(gradient.device()));
    return {grad_x, partial.sum(at::IntArrayRef({0, 2})).to(at::kBFloat16), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps) {
  return fused(x) ? NormModulate::apply(x, shift, scale, run, eps) : plain::norm_modulate(x, shift, scale, run, eps);
}

Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run) {
  return fused(x) ? GatedAdd::apply(x, u, gate, run) : plain::gated_add(x, u, gate, run);
}

Tensor norm_heads(const Tensor& qkv, const nn::LayerNorm& norm_q, const nn::LayerNorm& norm_k, std::int64_t heads) {
  const bool takes = qkv.is_cuda() && qkv.scalar_type() == at::kBFloat16 && qkv.size(-1) == 3 * heads * 64;
  if (!takes) return plain::norm_heads(qkv, norm_q, norm_k, heads);
  const Tensor weights = at::stack({norm_q.weight, norm_q.bias, norm_k.weight, norm_k.bias}).view({2, 2, 64});
  return NormHeads::apply(qkv, weights, heads, norm_q.eps);
}

#else

Tensor norm_modulate(const Tensor& x, const Tensor& shift, const Tensor& scale, std::int64_t run, double eps) {
  return plain::norm_modulate(x, shift, scale, run, eps);
}
Tensor gated_add(const Tensor& x, const Tensor& u, const Tensor& gate, std::int64_t run) {
  return plain::gated_add(x, u, gate, run);
}
Tensor norm_heads(const Tensor& qkv, const nn::LayerNorm& norm_q, const nn::LayerNorm& norm_k, std::int64_t heads) {
  return plain::norm_heads(qkv, norm_q, norm_k, heads);
}

#endif

}  // namespace limber::prior
