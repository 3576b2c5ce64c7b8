// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "leave_out_options.h"

#include <charconv>
#include <string>

namespace limber::cli {

void add_leave_out_options(CLI::App& command, training::LeaveOut& leave_out) {
  command
      .add_option("--leave-out", leave_out.names,
                  "Characters with this in their names are not taught; they are validated on instead")
      ->needs("--characters")
      ->type_name("TEXT");
  command
      .add_option_function<std::string>(
          "--fold",
          [&fold = leave_out.fold](const std::string& text) {
            const char* end = text.data() + text.size();
            int which = 0, of = 0;
            const auto first = std::from_chars(text.data(), end, which);
            const bool split = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
            const auto second = split ? std::from_chars(first.ptr + 1, end, of) : first;
            const bool read = split && second.ec == std::errc() && second.ptr == end;
            if (!read || of < 2 || of > 1000 || which < 1 || which > of)
              throw CLI::ValidationError("--fold", "1/3, 2/3 or 3/3, say, not " + text);
            fold = {which - 1, of};
          },
          "Nor are those of every third skeleton family from the first on (1/3)")
      ->needs("--characters")
      ->type_name("K/N");
}

void add_left_out(const training::LeaveOut& leave_out, nlohmann::ordered_json& summary) {
  if (!leave_out.names.empty()) summary["leave_out"] = leave_out.names;
  const training::LeaveOut::Fold& fold = leave_out.fold;
  if (fold.of > 0) summary["fold"] = std::to_string(fold.which + 1) + "/" + std::to_string(fold.of);
}

}  // namespace limber::cli
