// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "render_canvas.h"

namespace limber::cli {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

}  // namespace

Canvas::Canvas(const OutputPlan& plan, const std::vector<scene::Layer>& layers, int views)
    : plan_(plan), layers_(layers), views_(views) {
  by_layer_ = plan.path.find("{layer}") != std::string::npos;
  by_view_ = plan.path.find("{view}") != std::string::npos;
  by_clip_ = plan.path.find("{clip}") != std::string::npos;
}

Status Canvas::add(const std::string& clip, const std::vector<Bitmap>& pictures) {
  const int layer_files = by_layer_ ? layer_count() : 1, view_files = by_view_ ? views_ : 1;
  for (int v = 0; v < view_files; ++v) {
    for (int l = 0; l < layer_files; ++l) LIMBER_CHECK_OK(add_to_file(clip, v, l, pictures));
  }
  return Done{};
}

Status Canvas::end_clip() { return by_clip_ ? finish() : Status(Done{}); }

Status Canvas::finish() {
  for (auto& [path, output] : outputs_) {
    LIMBER_CHECK_OK(output->finish());
    paths_.push_back(path);
  }
  outputs_.clear();
  return Done{};
}

const Bitmap& Canvas::arrange(const std::vector<const Bitmap*>& panels, int across) {
  if (panels.size() == 1) return *panels[0];
  const int width = panels[0]->width, height = panels[0]->height;
  const int down = static_cast<int>(panels.size()) / across;
  if (frame_.width != across * width || frame_.height != down * height) {
    frame_ = Bitmap(across * width, down * height, 3);
  }
  for (int k = 0; k < across * down; ++k) {
    paste(*panels[static_cast<std::size_t>(k)], k % across * width, k / across * height, frame_);
  }
  return frame_;
}

Status Canvas::add_to_file(const std::string& clip, int file_view, int file_layer,
                           const std::vector<Bitmap>& pictures) {
  std::string path = replaced(plan_.path, "{clip}", clip);
  path = replaced(path, "{layer}", std::string(scene::name(layers_[static_cast<std::size_t>(file_layer)])));
  path = replaced(path, "{view}", std::to_string(file_view));
  std::vector<const Bitmap*> panels;
  for (int v = by_view_ ? file_view : 0; v < (by_view_ ? file_view + 1 : views_); ++v) {
    for (int l = by_layer_ ? file_layer : 0; l < (by_layer_ ? file_layer + 1 : layer_count()); ++l) {
      panels.push_back(&pictures[static_cast<std::size_t>(v * layer_count() + l)]);
    }
  }
  // Layers across, views below each other; views of a single layer across too.
  const int across = by_layer_ || layer_count() == 1 ? static_cast<int>(panels.size()) : layer_count();
  const Bitmap& frame = arrange(panels, across);
  auto found = outputs_.find(path);
  if (found == outputs_.end()) {
    OutputPlan plan = plan_;
    plan.path = path;
    LIMBER_TRY(auto output, FrameOutput::open(plan, frame.width, frame.height));
    found = outputs_.emplace(path, std::move(output)).first;
  }
  return found->second->add(frame);
}

}  // namespace limber::cli
