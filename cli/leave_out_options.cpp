// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "leave_out_options.h"

#include <cstdio>
#include <string>

namespace limber::cli {

void add_leave_out_options(CLI::App& command, training::PosedBodySettings& bodies) {
  command
      .add_option("--leave-out", bodies.leave_out,
                  "Characters with this in their names are not taught; they are validated on instead")
      ->type_name("TEXT");
  command
      .add_option_function<std::string>(
          "--fold",
          [&fold = bodies.fold](const std::string& text) {
            char end = 0;
            const bool read = std::sscanf(text.c_str(), "%d/%d%c", &fold.which, &fold.of, &end) == 2;
            if (!read || fold.of < 2 || fold.of > 1000 || fold.which < 1 || fold.which > fold.of)
              throw CLI::ValidationError("--fold", "1/3, 2/3 or 3/3, say, not " + text);
            --fold.which;
          },
          "Nor are those of every third skeleton family from the first on (1/3)")
      ->type_name("K/N");
}

}  // namespace limber::cli
