// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/manners.h"

namespace limber::animate {

void follow_manners(const std::vector<std::string>& words, zoo::ActionSettings& acting) {
  for (const std::string& word : words) {
    if (word == "quickly") zoo::apply("fast", acting);
    for (const std::string_view manner : zoo::manner_words()) {
      const std::string plain(manner);
      if (word == plain || word == plain + "ly" || word == plain + "s") zoo::apply(manner, acting);
    }
  }
}

}  // namespace limber::animate
