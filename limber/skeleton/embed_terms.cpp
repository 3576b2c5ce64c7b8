// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/skeleton/embed_terms.h"

namespace limber::skeleton {

const std::array<EmbedTermInfo, kEmbedTermCount>& embed_terms() {
  static constexpr std::array<EmbedTermInfo, kEmbedTermCount> kTerms{{
      {EmbedTerm::kLength, "length", 1.0, "squared log of the ratio of path and chain length",
       "the unit that the other weights are counted in"},
      {EmbedTerm::kDirection, "direction", 2.0, "1 - cosine between the straight directions of path and chain",
       "set by hand: a right angle costs as much as a length that is four times too long"},
      {EmbedTerm::kShape, "shape", 1.5, "mean of 1 - cosine along path and chain",
       "set by hand, below `direction`: where a limb leads tells more than how it bends on the way"},
      {EmbedTerm::kPlace, "place", 5.0, "squared distance from where the template, fitted to the body's box, has it",
       "set by hand: keeps hind legs behind, and lets a limb reach a fifth of the size away for 0.2"},
      {EmbedTerm::kGirth, "girth", 0.4, "squared log of the ratio of radii, at a joint and along a chain",
       "set by hand, low: bodies of one kind are fat and thin"},
      {EmbedTerm::kFoot, "foot height", 6.0, "height of a foot above the lowest point",
       "set by hand: hands are not feet, but a foot that is raised still is one (heights count up to a half)"},
      {EmbedTerm::kFaintTip, "faint tip", 0.6, "0 to 1: how little a limb stands out",
       "set by hand, below `missing`: a head without a neck is rather found than left out"},
      {EmbedTerm::kMissing, "missing", 0.9, "an optional chain that is left out, one and a half of them for a pair",
       "set by hand, between `faint tip` and a limb that points the wrong way"},
      {EmbedTerm::kUnexplained, "unexplained", 22, "share of the body's limbs and trunk that no chain runs along",
       "set by hand, high: a leg is a small share of a body, and must cost more left out than matched badly"},
      {EmbedTerm::kMissedLimb, "missed limb", 1.0, "each limb that no chain runs along, as far as it is long",
       "set by hand, for the legs of insects, which have hardly any flesh that `unexplained` could miss"},
      {EmbedTerm::kSharedPath, "shared path", 6, "how far partners run together before they part",
       "set by hand: the flukes of a tail are no feet; legs part at the hips and cost nothing"},
      {EmbedTerm::kStretch, "stretch", 0.5, "squared logs of the ratios of the box's sides",
       "set by hand, low: capes, weapons and antlers stretch the box of bodies that fit"},
      {EmbedTerm::kMirror, "mirror", 2.0, "how far partners are from being mirror images, up to two",
       "set by hand; counts as far as the body is symmetric, so that two limbs of one side are no partners"},
      {EmbedTerm::kOffPlane, "off plane", 1.0, "how far middle joints are beside the mirror plane, up to two",
       "set by hand, half of `mirror`: heads are turned and tails wag"},
      {EmbedTerm::kNoMirror, "no mirror", 40, "error of the plane between the sides",
       "set by hand: errors are hundredths at most, and times 40 they weigh like the other terms"},
      {EmbedTerm::kWorseMirror, "worse mirror", 1.0,
       "log of how many times worse than in the body's best plane that is",
       "set by hand, for exact bodies, where all errors are small and the best plane is the one between the sides"},
      {EmbedTerm::kFacing, "facing", 1.0, "what feet, knees and the ends of the body say, see facing_cues.h",
       "facing_cues.h weighs them among each other, as the negative log of a probability"},
      {EmbedTerm::kReadKind, "read kind", 1.0, "a reading of the body takes it for another kind",
       "one, as read_cues.h counts the negative log of the reader's own probability"},
      {EmbedTerm::kReadTurn, "read turn", 1.0, "a reading has the body stand or face otherwise",
       "one, as read_cues.h has the price of a right angle"},
      {EmbedTerm::kReadPart, "read part", 1.2, "a reading takes ends of limbs and where they meet for other parts",
       "set by hand, with the first reader; read_cues.h counts the negative log of its probability"},
      {EmbedTerm::kReadPath, "read path", 1.5, "a reading takes the paths there for other parts",
       "set by hand, above `read part`: a mean over a path wavers less than what is read at one sphere"},
      {EmbedTerm::kHabit, "habit", 1.5,
       "the body does not stand and face as is usual: as a first look had it, or as files do",
       "set by hand: decides where the body itself says little"},
  }};
  return kTerms;
}

}  // namespace limber::skeleton
