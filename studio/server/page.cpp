// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "studio/server/page.h"

#include <system_error>

#include "limber/base/files.h"

namespace limber::studio {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string_view path;
  const char *file, *type;
};
constexpr Entry kEntries[] = {
    {"/", "index.html", "text/html; charset=utf-8"},
    {"/index.html", "index.html", "text/html; charset=utf-8"},
    {"/app.js", "app.js", "text/javascript; charset=utf-8"},
    {"/app.js.map", "app.js.map", "application/json"},
    {"/app.css", "app.css", "text/css; charset=utf-8"},
    {"/notices.txt", "notices.txt", "text/plain; charset=utf-8"},
};
constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;

}  // namespace

bool is_page(const fs::path& folder) {
  std::error_code failed;
  return fs::is_regular_file(folder / "index.html", failed) || fs::is_regular_file(folder / "index.html.gz", failed);
}

Result<fs::path> find_page() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  const fs::path folder = (program / ".." / "share" / "limber" / "studio").lexically_normal();
  if (!failed && is_page(folder)) return folder;
  return Error{
      "the page is not there: it is built where Node.js and npm are installed (Debian: apt-get install nodejs npm), by "
      "`cmake build && cmake --build build --target limber_studio_page` in limber's folder; --assets DIR tells where "
      "it "
      "is otherwise",
      folder.string(), ErrorKind::kMissing};
}

std::optional<PageFile> read_page_file(const fs::path& folder, std::string_view path) {
  for (const Entry& entry : kEntries) {
    if (path != entry.path) continue;
    for (const bool gzipped : {false, true}) {
      const Result<Bytes> bytes = read_file(folder / (std::string(entry.file) + (gzipped ? ".gz" : "")), kLargest);
      if (bytes.ok()) return PageFile{std::string(as_text(*bytes)), entry.type, gzipped};
    }
  }
  return std::nullopt;
}

}  // namespace limber::studio
