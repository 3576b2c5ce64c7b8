// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/nn/shipped_models.h"

#include <cstdlib>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace limber::nn {
namespace {

namespace fs = std::filesystem;

std::mutex g_mutex;
std::vector<fs::path> g_added;

/// Where models that ship may lie, the first choice first.
std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  if (const char* models = std::getenv("LIMBER_MODELS")) folders.emplace_back(models);
  {
    std::lock_guard lock(g_mutex);
    folders.insert(folders.end(), g_added.begin(), g_added.end());
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) {
    folders.push_back(program / ".." / "share" / "limber" / "models");
    folders.push_back(program / ".." / ".." / "models");
  }
  folders.emplace_back("models");
  return folders;
}

}  // namespace

Result<fs::path> find_shipped_model(const std::string& name, bool (*recognise)(const fs::path& folder)) {
  for (const fs::path& folder : model_folders()) {
    if (recognise(folder / name)) return (folder / name).lexically_normal();
  }
  return Error{"was not found; LIMBER_MODELS can tell the folder that holds it", "models/" + name, ErrorKind::kMissing};
}

void add_model_folder(fs::path folder) {
  std::lock_guard lock(g_mutex);
  g_added.push_back(std::move(folder));
}

}  // namespace limber::nn
