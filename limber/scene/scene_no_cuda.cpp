// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scene/scene_cuda.h"

/// Builds without CUDA.
namespace limber::scene {
namespace {

Status no_cuda() {
  return Error{"this build has no CUDA: configure with -DLIMBER_CUDA=ON, or draw on the CPU", "", ErrorKind::kDevice};
}

}  // namespace

bool has_cuda() { return false; }

struct CudaScene::State {};

CudaScene::CudaScene(const SceneSettings&) {}
CudaScene::~CudaScene() = default;
void CudaScene::set_body(const splat::Gaussians&, std::span<const Symmetric>, std::span<const Vec3>, BodyShadow*, int) {
}
Status CudaScene::open() { return no_cuda(); }
Status CudaScene::forward(std::span<const Affine>, std::size_t, std::span<const Camera>) { return no_cuda(); }
const float* CudaScene::frames() const { return nullptr; }
Status CudaScene::download(std::span<float>) { return no_cuda(); }
Status CudaScene::backward(const float*, std::span<Affine>) { return no_cuda(); }
Status CudaScene::backward_from_host(std::span<const float>, std::span<Affine>) { return no_cuda(); }
bool CudaScene::start_unwaited() { return false; }
void CudaScene::forward_unwaited(const Affine*) {}
const Affine* CudaScene::backward_unwaited(const float*) { return nullptr; }
void CudaScene::ask_room(int) {}
CudaScene::Room CudaScene::check_room(int) { return Room::kNever; }
int CudaScene::grown() const { return 0; }
void CudaScene::set_least_room(std::uint64_t) {}
bool CudaScene::ok() const { return false; }
Status CudaScene::finish() { return no_cuda(); }
std::shared_ptr<CudaQueue> CudaScene::queue() { return nullptr; }
std::size_t CudaScene::bytes() const { return 0; }
void CudaScene::start_timeline() {}
std::vector<std::pair<std::string, double>> CudaScene::take_timeline() { return {}; }

}  // namespace limber::scene
