// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/artist_body.h"

namespace limber::bench {

/// Takes of rigs that have the same skeleton, joint by joint, and come from another pack: the same action once more, by
/// somebody who did not look at this rig's. Most rigs have one take of a gait, and how far two are apart says what a
/// measure is good for.
class LentTakes {
 public:
  void add(const ArtistBody& body);
  /// Adds to the takes of each gait those that others have of it and whose curves are not there yet.
  void lend(ArtistBody& body) const;

 private:
  struct Lender {
    std::string path, family;
    rig::Rig rig;  ///< upright
    std::vector<AskedGait> gaits;
  };
  std::vector<Lender> lenders_;
};

}  // namespace limber::bench
