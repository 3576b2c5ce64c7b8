// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "limber/animate/animation.h"
#include "limber/base/progress.h"
#include "limber/base/result.h"
#include "limber/kinematics/motion.h"
#include "limber/retarget/library.h"
#include "limber/rig/subject.h"

/// A motion out of somebody's own clips. Private to `animate`.
namespace limber::animate {

/// What names of clips are asked for: the action that the prompt names, by any word for it; where it names none that is
/// known, its own words, without who does it.
retarget::LibraryWish library_wish(const std::string& prompt);

struct LibraryMotion {
  kinematics::Motion motion;
  TakenClip taken;
  std::vector<Warning> warnings;
};

/// The clip of the folder whose name says what the prompt asks, on this body: of several that say as much the one that
/// has most limbs in common with it. At the clip's own rate. What is done over and over is a loop where the clip's end
/// leads to its beginning, and so is anything where `loop` asks. `subject` stands upright on y = 0 and faces +Z. Fails
/// in words where no name says
/// it (`kMissing`), and where the limbs of none of these clips lead those of this body (`kUnsupported`).
Result<LibraryMotion> library_motion(const rig::Subject& subject, const std::filesystem::path& folder,
                                     const std::string& prompt, bool loop = false, const Progress& progress = {});

}  // namespace limber::animate
