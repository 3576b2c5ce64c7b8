// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/torch_api.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace limber::nn {
namespace {

constexpr std::array<std::pair<Dtype, at::ScalarType>, 10> kTypes{{{Dtype::kF64, at::kDouble},
                                                                   {Dtype::kF32, at::kFloat},
                                                                   {Dtype::kF16, at::kHalf},
                                                                   {Dtype::kBF16, at::kBFloat16},
                                                                   {Dtype::kI64, at::kLong},
                                                                   {Dtype::kI32, at::kInt},
                                                                   {Dtype::kI16, at::kShort},
                                                                   {Dtype::kI8, at::kChar},
                                                                   {Dtype::kU8, at::kByte},
                                                                   {Dtype::kBool, at::kBool}}};

#if TORCH_VERSION_MAJOR < 2
/// Plain attention of one block of queries.
Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Tensor& bias) {
  Tensor scores = at::matmul(q * scale, k.transpose(-2, -1));
  if (bias.defined()) scores = scores + bias;
  return at::matmul(at::softmax(scores, -1), v);
}
#endif

}  // namespace

bool cuda_available() { return at::hasCUDA() && at::getNumGPUs() > 0; }

at::Device best_device() { return cuda_available() ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU); }

at::ScalarType fast_dtype(at::Device device) { return device.is_cuda() ? at::kBFloat16 : at::kFloat; }

#if TORCH_VERSION_MAJOR >= 2

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Tensor& bias) {
  if (!bias.defined()) return at::scaled_dot_product_attention(q, k, v, {}, 0.0, false, scale);
  return at::scaled_dot_product_attention(q, k, v, bias.to(q.scalar_type()), 0.0, false, scale);
}

#else

Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Tensor& bias) {
  // At most 2^22 scores at a time: 16 MB in fp32.
  const std::int64_t queries = q.size(-2);
  const std::int64_t scores_per_query = q.numel() / std::max<std::int64_t>(queries * q.size(-1), 1) * k.size(-2);
  const std::int64_t block =
      std::max<std::int64_t>((std::int64_t{1} << 22) / std::max<std::int64_t>(scores_per_query, 1), 1);
  if (block >= queries) return attend(q, k, v, scale, bias);
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < queries; i += block) {
    const std::int64_t count = std::min(block, queries - i);
    const bool bias_per_query = bias.defined() && bias.dim() >= 2 && bias.size(-2) == queries;
    parts.push_back(attend(q.narrow(-2, i, count), k, v, scale, bias_per_query ? bias.narrow(-2, i, count) : bias));
  }
  return at::cat(parts, -2);
}

#endif

void copy_each(const std::vector<Tensor>& to, const std::vector<Tensor>& from) {
  LIMBER_EXPECT(to.size() == from.size(), std::to_string(from.size()));
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  // Some versions take the type of the first tensor for that of all.
  const auto alike = [](const std::vector<Tensor>& tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
      return tensor.scalar_type() == tensors[0].scalar_type() && tensor.device() == tensors[0].device();
    });
  };
  if (!to.empty() && alike(to) && alike(from)) return at::_foreach_copy_(to, from);
#endif
  for (std::size_t i = 0; i < to.size(); ++i) to[i].copy_(from[i]);
}

Result<at::ScalarType> scalar_type(Dtype dtype) {
  for (const auto& [stored, type] : kTypes) {
    if (stored == dtype) return type;
  }
  return Error{"elements of type " + std::string(name(dtype)) + " are not supported", ""};
}

Dtype stored_dtype(at::ScalarType type) {
  for (const auto& [stored, known] : kTypes) {
    if (known == type) return stored;
  }
  LIMBER_EXPECT(false, std::string("no stored type for ") + at::toString(type));
  return Dtype::kF32;
}

Result<Tensor> borrow_tensor(const TensorView& view, const std::string& where) {
  const Result<at::ScalarType> type = scalar_type(view.dtype);
  if (!type.ok()) return Error{type.error().what, where};
  const auto options = at::TensorOptions().dtype(*type);
  if (view.bytes.empty()) return at::empty(view.shape, options);
  if (reinterpret_cast<std::uintptr_t>(view.bytes.data()) % size_of(view.dtype) == 0) {
    return at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.shape, options);
  }
  Tensor copy = at::empty(view.shape, options);
  std::memcpy(copy.data_ptr(), view.bytes.data(), view.bytes.size());
  return copy;
}

Result<Tensor> read_tensor(const TensorArchive& archive, const std::string& name) {
  LIMBER_TRY(const TensorView view, archive.find(name));
  LIMBER_TRY(const Tensor borrowed, borrow_tensor(view, archive.where(name)));
  return borrowed.clone();
}

Status save_tensors(const std::filesystem::path& path, const TensorList& tensors, const SafetensorsSettings& settings,
                    at::ScalarType dtype) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> kept;  // owns the bytes until they are written
  std::vector<NamedTensor> views;
  for (const auto& [key, tensor] : tensors) {
    const bool convert = dtype != at::ScalarType::Undefined && tensor.is_floating_point();
    kept.push_back(tensor.detach().to(at::kCPU, convert ? dtype : tensor.scalar_type()).contiguous());
    const Tensor& stored = kept.back();
    views.push_back({key,
                     {stored_dtype(stored.scalar_type()),
                      stored.sizes().vec(),
                      {static_cast<const std::byte*>(stored.data_ptr()), static_cast<std::size_t>(stored.nbytes())}}});
  }
  return write_safetensors(path, views, settings);
}

}  // namespace limber::nn
