// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "limber/batch/index.h"

namespace limber::batch {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>limber batch</title>
<style>
body { font: 14px system-ui, sans-serif; margin: 2em; color: #222; background: #fafafa }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(19em, 1fr)); gap: 1em }
article { background: #fff; border: 1px solid #ddd; border-radius: 6px; overflow: hidden }
article.failed { border-color: #c33 }
article > * { margin: .5em .75em }
img { width: 100%; margin: 0; aspect-ratio: 3; object-fit: cover; background: #eee; display: block }
h2 { font-size: 1em; overflow-wrap: anywhere } .failed b { color: #c33 } .done b { color: #273 }
small, nav { color: #666 } p { overflow-wrap: anywhere }
</style>
)";

/// Names come from other people's files.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// A relative path as a link.
std::string link(std::string_view path, std::string_view text) {
  std::string address = "./";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-_./~").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("<a href=\"{}\">{}</a>", address, escaped(text));
}

std::string card(const Results& results, const Row& row) {
  const Item& item = row.item;
  std::string html = fmt::format("<article class=\"{}\">\n", name(row.state));
  const auto has = [&](const char* file) {
    std::error_code failed;
    return row.status && fs::exists(results.of(item.id) / file, failed);
  };
  if (has("thumbnail.png")) {
    html += fmt::format("<img loading=\"lazy\" alt=\"\" src=\"{}/thumbnail.png\">\n", item.id);
  }
  html += fmt::format("<h2>{}</h2>\n", escaped(fs::path(item.input).filename().string()));
  html += fmt::format("<p><b>{}</b> {}{}</p>\n", name(row.state), item.verb,
                      item.prompt.empty() ? "" : ": " + escaped(item.prompt));
  if (row.status && !row.status->done) html += fmt::format("<p>{}</p>\n", escaped(row.status->reason));
  html += fmt::format("<p><small>line {}{}", item.line, row.asked ? "" : " of an earlier manifest");
  if (row.status) html += fmt::format(" · {:.1f} s", row.status->seconds);
  if (row.state == State::kDone) {
    const std::string result = item.id + "/" + item.result;
    html += " · " + (item.output.empty() ? link(result, item.result) : link(item.output, item.output));
  }
  for (const char* file : {"result.mp4", "report.json", "log.txt"}) {
    if (item.result != file && has(file)) html += " · " + link(item.id + "/" + file, file);
  }
  return html + "</small></p>\n</article>\n";
}

std::string navigation(std::size_t page, std::size_t pages) {
  if (pages < 2) return "";
  std::string html = fmt::format("<nav>page {} of {}", page + 1, pages);
  if (page > 0) html += " · " + link(page_name(page - 1), "before");
  if (page + 1 < pages) html += " · " + link(page_name(page + 1), "next");
  return html + "</nav>\n";
}

}  // namespace

std::string page_name(std::size_t page) { return page == 0 ? "index.html" : fmt::format("index-{}.html", page + 1); }

std::vector<std::string> index_pages(const Results& results, const std::vector<Row>& rows) {
  const Counts counts = count(rows);
  const std::size_t pages = std::max<std::size_t>((rows.size() + kRowsOfPage - 1) / kRowsOfPage, 1);
  std::vector<std::string> texts;
  for (std::size_t page = 0; page < pages; ++page) {
    std::string html = kHead;
    html += fmt::format("<h1>{} of {} done</h1>\n<p>{} failed ({}), {} running, {} pending</p>\n", counts.done,
                        counts.all(), counts.failed, link("failures.md", "why"), counts.running, counts.pending);
    html += navigation(page, pages) + "<main>\n";
    const std::size_t begin = page * kRowsOfPage, end = std::min(rows.size(), begin + kRowsOfPage);
    for (std::size_t k = begin; k < end; ++k) html += card(results, rows[k]);
    texts.push_back(html + "</main>\n" + navigation(page, pages) + "</html>\n");
  }
  return texts;
}

}  // namespace limber::batch
