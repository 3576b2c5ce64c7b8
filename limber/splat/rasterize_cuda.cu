// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/splat/raster_pipeline.cuh"
#include "limber/splat/rasterize_cuda.h"

namespace limber::splat {

struct CudaRaster::State {
  CudaQueue queue;
  RasterPipeline pipeline{queue};
  DeviceArray<float> background, grad_images, grad_alphas;
  bool open = false;
};

CudaRaster::CudaRaster() : state_(std::make_unique<State>()) {}
CudaRaster::~CudaRaster() = default;
CudaRaster::CudaRaster(CudaRaster&&) noexcept = default;
CudaRaster& CudaRaster::operator=(CudaRaster&&) noexcept = default;

Status CudaRaster::forward(const RasterInput& input, const RasterOutput& output, const RasterSettings& settings) {
  State& s = *state_;
  if (!s.open) LIMBER_CHECK_OK(s.queue.open());
  s.open = true;
  s.pipeline.set_cloud(input);
  s.pipeline.set_cameras(input.cameras, settings);
  s.pipeline.set_bones(input.bones);
  const auto* colors = reinterpret_cast<const float*>(input.background.data());
  s.background.upload(s.queue, {colors, 3 * input.background.size()}, "background");
  const auto kind = input.background.size() <= 1                      ? DeviceBackground::kOne
                    : input.background.size() == input.cameras.size() ? DeviceBackground::kPerImage
                                                                      : DeviceBackground::kPerPixel;
  s.pipeline.set_background({input.background.empty() ? nullptr : s.background.data(), kind});
  s.pipeline.forward();
  s.queue.download(output.images.data(), s.pipeline.images(), output.images.size_bytes());
  s.queue.download(output.alphas.data(), s.pipeline.alphas(), output.alphas.size_bytes());
  return s.queue.finish();
}

Status CudaRaster::backward(const RasterCotangent& cotangent, const RasterGradient& gradient,
                            std::span<float> transmittances) {
  State& s = *state_;
  const auto* numbers = reinterpret_cast<const float*>(cotangent.images.data());
  s.grad_images.upload(s.queue, {numbers, 3 * cotangent.images.size()}, "gradients on pictures");
  s.grad_alphas.upload(s.queue, cotangent.alphas, "gradients on pictures");
  const auto given = [](const DeviceArray<float>& array) { return array.size() > 0 ? array.data() : nullptr; };
  s.pipeline.backward(given(s.grad_images), given(s.grad_alphas), !gradient.colors.empty());
  if (!gradient.bones.empty()) {
    s.pipeline.sum_bones();
    s.pipeline.add_bone_gradient(gradient.bones);
  }
  if (!gradient.means.empty() || !gradient.covariances.empty() || !gradient.opacities.empty() ||
      !gradient.colors.empty()) {
    s.pipeline.add_rest_gradient(gradient);
  }
  s.queue.download(transmittances.data(), s.pipeline.transmittances(), transmittances.size_bytes());
  return s.queue.finish();
}

}  // namespace limber::splat
