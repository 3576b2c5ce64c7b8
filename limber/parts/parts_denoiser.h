// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "limber/base/result.h"
#include "limber/parts/parts_model.h"
#include "limber/parts/surface_pictures.h"

namespace limber::parts {

/// What is known of pictures, views x frames of them. Numbers are -1 to 1 for the bytes 0 to 255, pictures x size x
/// size x 3; those of pictures that are not known do not matter.
struct KnownPictures {
  std::vector<float> colors, places, normals;
  std::vector<bool> has_colors, has_surface;  ///< per picture; surface: places and normals
  std::vector<float> elevations;              ///< per picture: of its camera, where a surface is known

  /// Nothing is known yet.
  explicit KnownPictures(const PartsModel& model);
};

/// All that pictures of a mesh show. Their shape is the model's.
KnownPictures known_pictures(const PartsModel& model, const SurfacePictures& pictures);

/// Colours and parts of all pictures, numbers as above.
struct DrawnPictures {
  std::vector<float> colors, parts;
};

/// A trained network of parts, on the CPU and without LibTorch. Const, so safe to use from several threads, and the
/// same bits for any number of them.
class PartsDenoiser {
 public:
  /// A folder that `train_parts` wrote.
  static Result<PartsDenoiser> open(const std::filesystem::path& folder);

  /// What the network makes of all that is known, once for all steps. Copies share it.
  struct Code;
  using Known = std::shared_ptr<const Code>;
  Known encode(const KnownPictures& known) const;

  /// What noisy pictures are without their noise. `time` is its share, 1 for nothing else.
  DrawnPictures run(const Known& known, const DrawnPictures& noisy, double time) const;

  const PartsModel& model() const { return model_; }

 private:
  struct Network;
  PartsDenoiser(const PartsModel& model, std::shared_ptr<const Network> network);

  PartsModel model_;
  std::shared_ptr<const Network> network_;  ///< copies share it
};

}  // namespace limber::parts
