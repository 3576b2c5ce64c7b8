// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "array.h"
#include "limber/asset/asset.h"
#include "limber/asset/surface.h"
#include "limber/kinematics/motion.h"
#include "limber/pose_space/pose_diffusion.h"
#include "limber/rig/subject.h"
#include "limber/scene/film.h"

/// What Python holds: limber's own structs, shared and never changed, so that several threads may use one object.
namespace limber::python {

/// An asset, and what was asked of it before.
class AssetObject {
 public:
  explicit AssetObject(asset::Asset asset, std::string report = "{}")
      : asset_(std::make_shared<const asset::Asset>(std::move(asset))), report_(std::move(report)) {}
  AssetObject(asset::Asset asset, rig::Subject subject, std::string report)
      : AssetObject(std::move(asset), std::move(report)) {
    subject_ = std::make_shared<const rig::Subject>(std::move(subject));
  }

  const std::shared_ptr<const asset::Asset>& asset() const { return asset_; }
  const std::string& report() const { return report_; }  ///< JSON: of the call that made it
  /// As it stands. Made when it is first asked for, and kept.
  std::shared_ptr<const asset::Surface> surface();
  /// What can move of it; an error where nothing can. Made when it is first asked for, and kept.
  std::shared_ptr<const rig::Subject> subject();

 private:
  std::shared_ptr<const asset::Asset> asset_;
  std::string report_;
  std::shared_ptr<const asset::Surface> surface_;
  std::shared_ptr<const rig::Subject> subject_;
};
using AssetPointer = std::shared_ptr<AssetObject>;

/// One of its clips.
struct ClipObject {
  AssetPointer asset;
  std::size_t index = 0;
  const asset::Clip& clip() const { return asset->asset()->clips[index]; }
};

struct RigObject {
  std::shared_ptr<const rig::Subject> subject;
};

struct MotionObject {
  std::shared_ptr<const rig::Subject> subject;
  std::shared_ptr<const kinematics::Motion> motion;
};

/// A motion of an asset, in it as a clip.
struct AnimationObject {
  AssetPointer asset;
  MotionObject motion;
  int clip = 0;        ///< of the asset
  std::string report;  ///< JSON
};

struct PicturesObject {
  std::shared_ptr<const scene::Film> film;
  double fps = 24;
};

struct PartsObject {
  std::shared_ptr<const std::vector<int>> labels;  ///< per triangle
  std::shared_ptr<const std::vector<Vec3>> colors;
  double agreement = 0;
};

/// An asset out of what somebody has: an Asset or Animation of limber, a path, the bytes of a GLB, or anything with
/// .vertices and .faces, as trimesh has them.
AssetPointer asset_of(const py::object& given);

/// Which clip: a number, a name or "#2"; -1 where `given` is None or "rest", which the caller understands.
int clip_of(const asset::Asset& asset, const py::object& given);

MotionObject motion_object(std::shared_ptr<const rig::Subject> subject, kinematics::Motion motion);

void bind_assets(py::module_& module);
void bind_motions(py::module_& module);
void bind_stages(py::module_& module);
void bind_poses(py::module_& module);
void bind_pictures(py::module_& module);
void bind_retarget(py::module_& module);

}  // namespace limber::python
