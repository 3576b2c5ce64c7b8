// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/animate/models.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "limber/anatomy/body_reader.h"
#include "limber/prior/part_model.h"

namespace limber::animate {
namespace {

namespace fs = std::filesystem;

/// Where models that ship may lie, the first choice first.
std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  if (const char* models = std::getenv("LIMBER_MODELS")) folders.emplace_back(models);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (!failed) {
    folders.push_back(program / ".." / "share" / "limber" / "models");
    folders.push_back(program / ".." / ".." / "models");
  }
  folders.emplace_back("models");
  return folders;
}

Result<fs::path> find_model(const std::string& name, bool (*recognise)(const fs::path&)) {
  for (const fs::path& folder : model_folders()) {
    if (recognise(folder / name)) return (folder / name).lexically_normal();
  }
  return Error{"was not found; LIMBER_MODELS can tell the folder that holds it", "models/" + name, ErrorKind::kMissing};
}

Result<std::shared_ptr<prior::VideoPrior>> load(const ModelSettings& settings) {
#if defined(LIMBER_WITH_TORCH)
  fs::path folder;
  if (settings.prior) {
    folder = *settings.prior;
  } else {
    LIMBER_TRY(folder, find_builtin_prior());
  }
  LIMBER_TRY(std::unique_ptr<prior::VideoPrior> loaded, prior::load_prior(folder, settings.loading));
  return std::shared_ptr<prior::VideoPrior>(std::move(loaded));
#else
  (void)settings;
  return Error{"this build of limber has no LibTorch, which priors need: it can follow a video, but no prompt", "prior",
               ErrorKind::kUnsupported};
#endif
}

/// `open`, but what was opened is kept.
template <class T, class Open>
std::function<Result<T>()> once(Open open) {
  return [open = std::move(open), opened = std::make_shared<std::optional<T>>()]() -> Result<T> {
    if (!*opened) {
      LIMBER_TRY(*opened, open());
    }
    return **opened;
  };
}

}  // namespace

Models find_models(const ModelSettings& settings) {
  Models models;
  models.open_body_reader = once<anatomy::ReadBody>([]() -> Result<anatomy::ReadBody> {
    const Result<fs::path> folder = find_body_reader();
    if (!folder.ok()) return anatomy::ReadBody();
    return open_body_reader(*folder);
  });
  models.open_prior = once<std::shared_ptr<prior::VideoPrior>>([settings] { return load(settings); });
  return models;
}

Result<fs::path> find_builtin_prior() { return find_model("part_prior", prior::is_part_model); }
Result<fs::path> find_body_reader() { return find_model("body_reader", anatomy::is_reader_model); }

Result<anatomy::ReadBody> open_body_reader(const fs::path& folder) {
  LIMBER_TRY(anatomy::BodyReader opened, anatomy::BodyReader::open(folder));
  const auto shared = std::make_shared<const anatomy::BodyReader>(std::move(opened));
  return anatomy::ReadBody([shared](const body::BodyShape& body) { return shared->read(body); });
}

}  // namespace limber::animate
