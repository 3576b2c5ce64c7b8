// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/kept_lines.h"

#include <fstream>
#include <limits>
#include <utility>

namespace limber::bench {

void KeptLines::visit(const std::function<void(const std::string& run, const nlohmann::json& line)>& visit) const {
  if (file_.empty()) return;
  std::ifstream lines(file_);
  bool cut_off = false;  // a last line without an end
  for (std::string text; std::getline(lines, text);) {
    cut_off = lines.eof();
    const nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    try {
      visit(line.at("run").get<std::string>(), line);
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
  if (cut_off) std::ofstream(file_, std::ios::app) << std::endl;
}

Status KeptLines::append(const std::string& run, nlohmann::json line) const {
  if (file_.empty()) return Done{};
  line["run"] = run;
  std::ofstream lines(file_, std::ios::app);
  lines << line.dump() << '\n';
  lines.flush();
  if (!lines) return Error{"cannot be written", file_.string()};
  return Done{};
}

double kept_number(const nlohmann::json& line, const char* name) {
  const nlohmann::json& value = line.at(name);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace limber::bench
