// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "facing_options.h"
#include "limber/asset/picture.h"
#include "limber/asset/video.h"
#include "limber/autorig/wishes.h"
#include "limber/base/files.h"
#include "limber/base/stopwatch.h"
#include "limber/parts/asset_parts.h"
#include "limber/parts/picture_parts.h"
#include "parts_options.h"
#include "picture_path.h"

namespace limber::cli {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kSheetScale = 4;    // pixels of a sheet for one of the network's
constexpr int kMostFrames = 240;  // of a video
constexpr int kMostSide = 512;    // of a picture, pixels

struct PartsCommand {
  std::string input, output, preview;
  PartsOptions network;
  FacingOptions facing;
};

// --- pictures of parts -----------------------------------------------------------------------------------------------

void fill_square(Bitmap& sheet, int column, int row, int x, int y, int size, Vec3 color) {
  const std::array<std::uint8_t, 3> bytes = parts::color_bytes(color);
  for (int k = 0; k < kSheetScale * kSheetScale; ++k) {
    std::uint8_t* pixel =
        sheet.at((column * size + x) * kSheetScale + k % kSheetScale, (row * size + y) * kSheetScale + k / kSheetScale);
    std::copy(bytes.begin(), bytes.end(), pixel);
  }
}

/// A row per set of views: what was seen, then the parts of the triangles there.
Bitmap mesh_sheet(const parts::MeshParts& found) {
  const parts::SurfacePictures& first = found.views.front().pictures;
  const int size = first.size, sets = static_cast<int>(found.views.size());
  Bitmap sheet(2 * first.views * size * kSheetScale, sets * size * kSheetScale, 3);
  for (int set = 0; set < sets; ++set) {
    const parts::SurfacePictures& p = found.views[static_cast<std::size_t>(set)].pictures;
    for (int i = 0; i < p.views * size * size; ++i) {
      const int view = i / (size * size), pixel = i % (size * size);
      const auto at = static_cast<std::size_t>(view * p.frames * size * size + pixel);
      const Vec3 seen{static_cast<float>(p.colors[3 * at]), static_cast<float>(p.colors[3 * at + 1]),
                      static_cast<float>(p.colors[3 * at + 2])};
      fill_square(sheet, view, set, pixel % size, pixel / size, size, seen / 255.0f);
      if (p.triangles[at] < 0) continue;
      const int part = found.triangles[static_cast<std::size_t>(p.triangles[at])];
      fill_square(sheet, p.views + view, set, pixel % size, pixel / size, size,
                  found.colors[static_cast<std::size_t>(part)]);
    }
  }
  return sheet;
}

/// All views of the first moment: colours above, parts below.
Bitmap picture_sheet(const parts::PictureParts& found) {
  const int size = found.size, pixels = size * size;
  Bitmap sheet(found.views * size * kSheetScale, 2 * size * kSheetScale, 3);
  for (int i = 0; i < found.views * pixels; ++i) {
    const int view = i / pixels, pixel = i % pixels;
    const auto at = static_cast<std::size_t>(view * found.frames * pixels + pixel);
    const std::vector<float>& colors = found.drawn.front().colors;
    const Vec3 seen = 0.5f * (Vec3{colors[3 * at], colors[3 * at + 1], colors[3 * at + 2]} + Vec3{1, 1, 1});
    fill_square(sheet, view, 0, pixel % size, pixel / size, size, seen);
    const int label = found.labels[at];
    if (label >= 0)
      fill_square(sheet, view, 1, pixel % size, pixel / size, size, found.clusters[static_cast<std::size_t>(label)]);
  }
  return sheet;
}

/// A picture or the frames of a video, no larger than there is to see for the network, and what they were.
struct Moments {
  std::vector<Bitmap> pictures;
  int width = 0, height = 0;
  double fps = 24;
};

/// The parts of a given picture, as large as that was.
Bitmap part_map(const parts::PictureParts& found, int moment, const Moments& moments) {
  const std::span<const int> labels = found.given(moment);
  const double scale = static_cast<double>(moments.pictures.front().width) / moments.width;
  const parts::PictureWindow& window = found.window;
  Bitmap map(moments.width, moments.height, 3);
  for (int y = 0; y < moments.height; ++y) {
    for (int x = 0; x < moments.width; ++x) {
      const auto cell = [&](int pixel, int first) {
        return static_cast<int>(std::floor((scale * (pixel + 0.5) - first) * found.size / window.side));
      };
      const int column = cell(x, window.left), row = cell(y, window.top);
      if (column < 0 || column >= found.size || row < 0 || row >= found.size) continue;
      const int label = labels[static_cast<std::size_t>(row * found.size + column)];
      if (label < 0) continue;
      const std::array<std::uint8_t, 3> bytes = parts::color_bytes(found.clusters[static_cast<std::size_t>(label)]);
      std::copy(bytes.begin(), bytes.end(), map.at(x, y));
    }
  }
  return map;
}

// --- the command -----------------------------------------------------------------------------------------------------

/// Shows how far it is.
Progress shown_in(Activity& activity) {
  return [&activity](std::string_view, double done) {
    activity.update(done);
    return true;
  };
}

/// `agreement`: of views of a mesh; pictures have none to compare.
void report(const Terminal& terminal, const PartsCommand& options, std::size_t count, double seconds,
            std::optional<double> agreement = std::nullopt) {
  if (terminal.json) {
    Json document{{"input", options.input}, {"output", options.output}, {"parts", count}, {"seconds", seconds}};
    if (agreement) document["agreement"] = *agreement;
    print_json(document);
  } else {
    spdlog::info("{} parts in {:.1f} s{}", count, seconds,
                 agreement ? fmt::format(", of which views agree by {:.2f}", *agreement) : "");
  }
  announce_file(terminal, options.output);
}

Status parts_of_mesh(const Terminal& terminal, const PartsCommand& options, const parts::PartsDenoiser& denoiser) {
  LIMBER_TRY(const asset::Asset asset, read_asset_file(terminal, options.input));
  LIMBER_TRY(const std::optional<rig::Facing> facing, autorig::asked_facing(options.facing.up, options.facing.forward));
  const Stopwatch watch;
  LIMBER_TRY(const parts::UprightMesh mesh, parts::upright_mesh(asset, facing));
  const Result<parts::MeshParts> found = [&] {
    Activity activity(terminal, "finding parts");
    parts::MeshPartsSettings settings = mesh_settings(options.network);
    settings.progress = shown_in(activity);
    return parts::find_mesh_parts(denoiser, mesh.view(), settings);
  }();
  if (!found.ok()) return Error{found.error().what, options.input, found.error().kind};
  Json names = Json::array();
  for (std::size_t i = 0; i < found->colors.size(); ++i) names.push_back(fmt::format("part.{}", i));
  LIMBER_CHECK_OK(write_json(Json{{"face_labels", found->triangles}, {"part_names", names}}, options.output));
  if (!options.preview.empty()) LIMBER_CHECK_OK(asset::write_picture(mesh_sheet(*found), options.preview));
  report(terminal, options, found->colors.size(), watch.seconds(), found->agreement);
  return Done{};
}

/// At most `kMostSide` a side: a subject may be small in it.
Bitmap no_larger(const Bitmap& frame) {
  const int side = std::max(frame.width, frame.height);
  if (side <= kMostSide) return frame;
  const auto shrunk = [&](int length) {
    return std::max(1, static_cast<int>(static_cast<long long>(length) * kMostSide / side));
  };
  return asset::scaled_to_fill(frame, shrunk(frame.width), shrunk(frame.height));
}

Result<Moments> read_moments(const std::string& path) {
  Moments moments;
  if (is_picture_path(path)) {
    LIMBER_TRY(const Bitmap picture, asset::read_picture(path));
    moments.width = picture.width, moments.height = picture.height;
    moments.pictures.push_back(no_larger(picture));
    return moments;
  }
  LIMBER_TRY(asset::VideoReader reader, asset::VideoReader::open(path));
  for (bool more = true; more;) {
    Bitmap frame;
    LIMBER_TRY(more, reader.next(frame));
    if (!more) break;
    if (moments.pictures.size() >= static_cast<std::size_t>(kMostFrames))
      return Error{fmt::format("has more than {} frames", kMostFrames), path, ErrorKind::kUnsupported};
    if (moments.pictures.empty()) moments.width = frame.width, moments.height = frame.height;
    if (frame.width != moments.width || frame.height != moments.height) return Error{"changes its size", path};
    moments.pictures.push_back(no_larger(frame));
  }
  if (reader.info().fps > 0) moments.fps = reader.info().fps;
  if (moments.pictures.empty()) return Error{"has no frames", path};
  return moments;
}

Status write_maps(const parts::PictureParts& found, const Moments& moments, const PartsCommand& options) {
  if (moments.pictures.size() == 1 || !asset::is_video_path(options.output))
    return asset::write_picture(part_map(found, 0, moments), options.output);
  LIMBER_TRY(asset::VideoWriter writer,
             asset::VideoWriter::create(options.output, moments.width, moments.height, {.fps = moments.fps}));
  for (std::size_t i = 0; i < moments.pictures.size(); ++i)
    LIMBER_CHECK_OK(writer.add(part_map(found, static_cast<int>(i), moments)));
  return writer.finish();
}

Status parts_of_pictures(const Terminal& terminal, const PartsCommand& options, const parts::PartsDenoiser& denoiser) {
  LIMBER_TRY(const Moments moments, read_moments(options.input));
  const Stopwatch watch;
  const Result<parts::PictureParts> found = [&] {
    Activity activity(terminal, "finding parts");
    parts::PicturePartsSettings settings;
    settings.steps = options.network.steps, settings.seed = options.network.seed;
    settings.progress = shown_in(activity);
    return parts::find_picture_parts(denoiser, moments.pictures, settings);
  }();
  if (!found.ok()) return Error{found.error().what, options.input, found.error().kind};
  LIMBER_CHECK_OK(write_maps(*found, moments, options));
  if (!options.preview.empty()) LIMBER_CHECK_OK(asset::write_picture(picture_sheet(*found), options.preview));
  report(terminal, options, found->clusters.size(), watch.seconds());
  return Done{};
}

bool shows_pictures(const PartsCommand& options) {
  return is_picture_path(options.input) || asset::is_video_path(options.input);
}

/// Wrong usage: what is about meshes, and does nothing for pictures.
void check_usage(const CLI::App& command, const PartsCommand& options) {
  for (const char* option : {"--view-sets", "--up", "--forward"}) {
    if (command.count(option) == 0 || !shows_pictures(options)) continue;
    throw CLI::ValidationError(fmt::format("{} and {}", option, options.input),
                               "contradict each other: a picture or a video is looked at as it is");
  }
}

Status run_parts(const Terminal& terminal, const PartsCommand& options) {
  LIMBER_TRY(const parts::PartsDenoiser denoiser, open_parts_network(options.network));
  return shows_pictures(options) ? parts_of_pictures(terminal, options, denoiser)
                                 : parts_of_mesh(terminal, options, denoiser);
}

}  // namespace

void add_parts(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<PartsCommand>();
  CLI::App* command = add_command(app, terminal, "parts",
                                  "Find the parts of a body that move by themselves: of a mesh, a picture, a video",
                                  "  limber parts statue.glb -o labels.json --preview parts.png\n"
                                  "  limber parts fox.png -o parts.png --preview views.png\n"
                                  "  limber parts dog.mp4 -o parts.mp4",
                                  [&terminal, options] { return run_parts(terminal, *options); });
  command->add_option("input", options->input, "A mesh, a picture or a video")->required()->type_name("FILE");
  command->add_option("-o,--output", options->output, "Labels of triangles (.json), or a picture or video of the parts")
      ->required()
      ->type_name("FILE");
  command->add_option("--preview", options->preview, "A picture of all views, also those that were made up")
      ->type_name("FILE");
  add_parts_options(*command, options->network);
  add_facing_options(*command, options->facing);
  command->parse_complete_callback([command, options] { check_usage(*command, *options); });
}

}  // namespace limber::cli
