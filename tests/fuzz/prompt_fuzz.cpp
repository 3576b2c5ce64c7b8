// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever a person, or a line of a manifest, says: it becomes segments of which each says something, and actions that
// stand where they are said to.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "limber/actions/catalogue.h"
#include "limber/animate/prompt_segments.h"
#include "limber/prior/prompt_text.h"
#include "limber/prior/prompt_words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace limber;
  const actions::Catalogue& known = actions::built_in();
  const std::string prompt(reinterpret_cast<const char*>(data), size);
  const std::size_t words = actions::words_of(prompt).size();
  for (const actions::Mention& mention : known.find_in(prompt)) {
    if (mention.first + mention.length > words || !known.find(mention.action)) std::abort();
  }
  if (prior::prompt_groups(prompt, 4096).size() != prior::kPromptWords * prior::kWordGroups) std::abort();
  (void)known.habitat_hint(prompt);
  if (size <= 16) (void)known.nearest(prompt);  // looks at every letter of every verb
  (void)prior::clean_prompt(prompt);

  const auto segments = animate::split_prompt(prompt, known.taught());
  if (segments.empty()) std::abort();
  for (const animate::PromptSegment& segment : segments) {
    (void)animate::warn_of_unread(segment);
    if (animate::short_name(segment).size() > prompt.size() + 4096) std::abort();
    if (!segment.actions.empty()) (void)animate::with_action(segment.prompt, known.taught(), known.taught().front());
  }
  return 0;
}
