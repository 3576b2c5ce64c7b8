// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/training/credits.h"

#include <algorithm>
#include <map>

#include "limber/base/files.h"

namespace limber::training {
namespace {

namespace fs = std::filesystem;

/// A collection's page is not farther above its files than this.
constexpr int kMostLevels = 6;
constexpr std::string_view kSection = "## Credits\n";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Result<std::vector<Credit>> read_pages(const fs::path& folder) {
  std::vector<Credit> credits;
  std::vector<fs::path> pages;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (lower_extension(entry.path()) == ".md" && entry.is_regular_file(failed)) pages.push_back(entry.path());
  }
  std::sort(pages.begin(), pages.end());
  for (const fs::path& page : pages) {
    LIMBER_TRY(const Bytes bytes, read_file(page, 16u << 20));
    for (Credit& credit : read_credits(as_text(bytes))) credits.push_back(std::move(credit));
  }
  return credits;
}

}  // namespace

std::vector<Credit> read_credits(std::string_view page) {
  constexpr std::string_view kSentence = "Credit to copy into cards: \"";
  std::vector<Credit> credits;
  bool owed = false;
  for (const std::string_view line : lines_of(page)) {
    if (line.substr(0, 1) == "#") owed = line.find("# Attribution") != std::string_view::npos;
    if (const std::size_t start = line.find(kSentence); start != std::string_view::npos) {
      const std::string_view rest = line.substr(start + kSentence.size());
      credits.push_back({"", std::string(rest.substr(0, rest.rfind('"')))});
    }
    if (!owed || line.substr(0, 2) != "- ") continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    credits.push_back({std::string(line.substr(2, colon - 2)), std::string(line.substr(2))});
  }
  return credits;
}

Result<std::vector<std::string>> credits_for(const std::vector<fs::path>& files, const fs::path& root) {
  std::map<fs::path, std::vector<Credit>> pages;
  std::vector<std::string> lines;
  for (const fs::path& file : files) {
    fs::path folder = file.parent_path();
    for (int level = 0; level < kMostLevels && !folder.empty(); ++level, folder = folder.parent_path()) {
      if (pages.count(folder) == 0) {
        LIMBER_TRY(pages[folder], read_pages(folder));
      }
      const std::string name = file.lexically_relative(folder).generic_string();
      for (const Credit& credit : pages[folder]) {
        if (credit.file.empty() || credit.file == name) lines.push_back(credit.line);
      }
      if (folder == root || folder == folder.parent_path()) break;
    }
  }
  return joined_credits(std::move(lines), {});
}

std::vector<std::string> joined_credits(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

std::string card_with_credits(std::string_view card, const std::vector<std::string>& credits) {
  std::string text(card);
  if (const std::size_t start = text.find(kSection); start != std::string::npos) {
    const std::size_t next = text.find("\n## ", start);
    text.erase(start, next == std::string::npos ? std::string::npos : next + 1 - start);
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (!text.empty()) text += '\n';
  if (credits.empty()) return text;
  if (!text.empty()) text += '\n';
  text += kSection;
  for (const std::string& line : credits) text.append("- ").append(line).append("\n");
  return text;
}

}  // namespace limber::training
