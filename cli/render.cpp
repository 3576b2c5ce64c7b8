// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "command.h"
#include "frame_output.h"
#include "limber/asset/pose.h"
#include "limber/asset/video.h"
#include "limber/base/files.h"
#include "limber/scene/layers.h"

namespace limber::cli {
namespace {

constexpr int kMaxFrames = 100000;
constexpr int kMaxCanvas = 1 << 27;  ///< pixels of a frame with all its panels, or of a sheet

struct RenderOptions {
  std::string input, output;
  std::string clip;
  bool all_clips = false;
  std::vector<std::string> layers{"rgb"};
  std::string size, sheet;
  double fps = 24, time = 0;
  bool has_time = false;
  int frames = 0, quality = 18;
  bool turntable = false, follow = true, no_ground = false;
  double azimuth = 40, elevation = 15, fill = 0.9;
  int views = 1;
  std::string cameras, write_cameras, sky, up = "+Y";
};

/// The options made sense of.
struct RenderPlan {
  std::vector<scene::Layer> layers;
  std::vector<int> clips;  ///< -1: as the file stands
  OutputPlan output;
  scene::OrbitSettings orbit;
  scene::LayerSettings look;
};

/// One clip, or the rest pose: the moments that are drawn, and from where.
struct Take {
  int clip = -1;
  std::string name;  ///< in files' names; no other take has it
  std::vector<double> times;
  std::vector<scene::Camera> cameras;  ///< views x frames
  int views = 1;
};

// --- what is asked for -----------------------------------------------------------------------------------------------

Result<std::pair<int, int>> parse_pair(const std::string& text, const std::string& option, int largest) {
  int a = 0, b = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &a, &b, &rest) != 2 || a < 1 || b < 1 || a > largest || b > largest) {
    return Error{fmt::format("expected two numbers up to {} such as 4x3, not '{}'", largest, text), option};
  }
  return std::pair{a, b};
}

Result<Vec3> parse_color(const std::string& text) {
  unsigned value = 0;
  char rest = 0;
  const char* digits = text.c_str() + (!text.empty() && text[0] == '#' ? 1 : 0);
  if (std::string_view(digits).size() != 6 || std::sscanf(digits, "%6x%c", &value, &rest) != 1) {
    return Error{"expected a colour such as e6edf7, not '" + text + "'", "--sky"};
  }
  const auto channel = [&](int shift) { return static_cast<float>(value >> shift & 255u) / 255; };
  return Vec3{channel(16), channel(8), channel(0)};
}

Result<std::vector<scene::Layer>> parse_layers(const std::vector<std::string>& names) {
  std::vector<scene::Layer> layers;
  for (const std::string& name : names) {
    const auto layer = scene::layer_from_name(name);
    if (!layer) {
      std::string known;
      for (int i = 0; i < scene::kLayerCount; ++i) {
        known.append(i == 0 ? "" : ", ").append(scene::name(static_cast<scene::Layer>(i)));
      }
      return Error{"no layer '" + name + "'; there are: " + known, "--layers"};
    }
    if (std::find(layers.begin(), layers.end(), *layer) != layers.end()) {
      return Error{"the layer '" + name + "' is named twice", "--layers"};
    }
    layers.push_back(*layer);
  }
  return layers;
}

Result<std::vector<int>> choose_clips(const asset::Asset& asset, const RenderOptions& options) {
  std::vector<int> clips;
  if (options.all_clips) {
    for (std::size_t i = 0; i < asset.clips.size(); ++i) clips.push_back(static_cast<int>(i));
    if (clips.empty()) return Error{"there are no clips", asset.name};
  } else if (options.clip.empty()) {
    clips.push_back(asset.clips.empty() || options.turntable ? -1 : 0);
  } else {
    const Result<int> found = find_clip(asset, options.clip);
    if (!found.ok() && options.clip != "rest") return found.error();
    clips.push_back(found.ok() ? *found : -1);
  }
  return clips;
}

bool moves(const RenderOptions& options, const std::vector<int>& clips) {
  if (options.has_time || options.frames == 1) return false;
  return options.turntable || clips.size() > 1 || clips[0] >= 0 || options.frames > 1;
}

/// How many clips come into one file.
std::size_t clips_together(const OutputPlan& plan, const std::vector<int>& clips) {
  return plan.path.find("{clip}") == std::string::npos ? clips.size() : 1;
}

/// How large a sheet is, which takes all frames of the clips in it.
Status plan_sheet(const RenderOptions& options, std::size_t clips, OutputPlan& plan) {
  const int frames = options.has_time ? 1 : options.frames;
  plan.kind = OutputKind::kSheet;
  plan.columns = 4;
  if (options.sheet.empty()) {
    const double rows = std::ceil(double(clips) * (frames > 0 ? frames : 2 * plan.columns) / plan.columns);
    if (rows > kMaxFrames) return Error{fmt::format("a sheet of {:.0f} rows is too large", rows), plan.path};
    plan.rows = static_cast<int>(rows);
    return Done{};
  }
  LIMBER_TRY(const auto grid, parse_pair(options.sheet, "--sheet", 64));
  plan.columns = grid.first, plan.rows = grid.second;
  const double needed = double(clips) * std::max(frames, 1);
  if (needed <= double(plan.columns) * plan.rows) return Done{};
  return Error{fmt::format("{:.0f} frames do not fit into a sheet of {}", needed, options.sheet), "--sheet"};
}

/// What kind of file is meant. A picture of something that moves is a sheet of it.
Result<OutputPlan> plan_output(const RenderOptions& options, const std::vector<int>& clips) {
  OutputPlan plan;
  plan.fps = options.fps;
  plan.quality = options.quality;
  plan.path = options.output;
  const bool moving = moves(options, clips);
  if (plan.path.empty()) {
    plan.path =
        std::filesystem::path(options.input).stem().string() + (moving && options.sheet.empty() ? ".mp4" : ".png");
  }
  if (plan.path.back() == '/' || std::filesystem::is_directory(plan.path)) {
    plan.path = (std::filesystem::path(plan.path) / "frame_%04d.png").string();
  }
  const std::string extension = lower_extension(plan.path);
  const bool picture = extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".webp";
  if (!picture && !asset::is_video_path(plan.path)) {
    return Error{"cannot tell what to write: use .mp4, .gif, .webp, .png, .jpg or a folder ending in /", plan.path};
  }
  const std::size_t together = clips_together(plan, clips);
  if (!options.sheet.empty() && picture) {
    LIMBER_CHECK_OK(plan_sheet(options, together, plan));
  } else if (!options.sheet.empty()) {
    return Error{"--sheet makes a picture: .png, .jpg or .webp", plan.path};
  } else if (picture && has_frame_number(plan.path)) {
    plan.kind = OutputKind::kSequence;
  } else if (picture && !moving && together == 1) {
    plan.kind = OutputKind::kPicture;
  } else if (!asset::is_video_path(plan.path)) {
    LIMBER_CHECK_OK(plan_sheet(options, together, plan));
  }
  return plan;
}

Result<RenderPlan> make_plan(const asset::Asset& asset, const RenderOptions& options) {
  RenderPlan plan;
  LIMBER_TRY(plan.layers, parse_layers(options.layers));
  LIMBER_TRY(plan.clips, choose_clips(asset, options));
  LIMBER_TRY(plan.output, plan_output(options, plan.clips));
  const bool sheet = plan.output.kind == OutputKind::kSheet;
  LIMBER_TRY(const auto size,
             parse_pair(options.size.empty() ? (sheet ? "320x240" : "1280x720") : options.size, "--size", 16384));
  scene::OrbitSettings& orbit = plan.orbit;
  orbit.width = size.first, orbit.height = size.second;
  orbit.azimuth = static_cast<float>(options.azimuth * kPi / 180);
  orbit.elevation = static_cast<float>(options.elevation * kPi / 180);
  // What only turns goes round once; in a file without motion a video is a turntable.
  const bool turn =
      options.turntable || (plan.clips == std::vector<int>{-1} && plan.output.kind != OutputKind::kPicture);
  orbit.turn = turn ? static_cast<float>(2 * kPi) : 0;
  orbit.fill = static_cast<float>(options.fill);
  orbit.views = options.views;
  orbit.follow = options.follow;
  plan.look.ground.visible = !options.no_ground;
  if (!options.sky.empty()) {
    LIMBER_TRY(plan.look.ground.sky, parse_color(options.sky));
  }
  return plan;
}

/// Turns the whole asset so that `up` (such as +Z) points up.
Status turn_upright(asset::Asset& asset, const std::string& up) {
  const std::size_t letter = up.size() == 2 ? 1 : 0;
  const bool good =
      (up.size() == 1 || (up.size() == 2 && (up[0] == '+' || up[0] == '-'))) && up[letter] >= 'X' && up[letter] <= 'Z';
  if (!good) return Error{"expected an axis such as +Z, not '" + up + "'", "--up"};
  Vec3 axis{};
  axis[up[letter] - 'X'] = up[0] == '-' ? -1.0f : 1.0f;
  asset::Node turned;
  turned.name = "upright";
  turned.local.rotation = rotation_between(axis, Vec3{0, 1, 0});
  const auto index = static_cast<int>(asset.nodes.size());
  if (asset.scenes.empty()) {
    asset.scenes.emplace_back();
    const std::vector<int> parents = asset::parents(asset);
    for (int n = 0; n < index; ++n) {
      if (parents[static_cast<std::size_t>(n)] < 0) asset.scenes[0].roots.push_back(n);
    }
  }
  asset::Scene& scene = asset.scenes[static_cast<std::size_t>(std::max(asset.scene, 0))];
  turned.children = std::exchange(scene.roots, {index});
  asset.nodes.push_back(std::move(turned));
  return Done{};
}

// --- moments and cameras
// -----------------------------------------------------------------------------------------------

asset::NodeState state_at(const asset::Asset& asset, int clip, double time) {
  return clip < 0 ? asset::rest_state(asset)
                  : asset::clip_state(asset, asset.clips[static_cast<std::size_t>(clip)], time);
}

Result<std::vector<double>> frame_times(const asset::Asset& asset, int clip, const RenderOptions& options,
                                        const RenderPlan& plan) {
  if (options.has_time) return std::vector<double>{options.time};
  const double duration = clip < 0 ? 0 : double(asset.clips[static_cast<std::size_t>(clip)].duration());
  const bool sheet = plan.output.kind == OutputKind::kSheet;
  double count = options.frames;
  if (count == 0 && sheet) {
    count = std::floor(double(plan.output.columns) * plan.output.rows /
                       static_cast<double>(clips_together(plan.output, plan.clips)));
  }
  if (count == 0 && plan.output.kind == OutputKind::kPicture) count = 1;
  // A turntable takes four seconds, or as long as what it shows.
  const double seconds = plan.orbit.turn > 0 ? std::max(duration, 4.0) : duration;
  if (count == 0) count = std::max(1.0, std::round(seconds * options.fps));
  if (!(count <= kMaxFrames)) {
    return Error{fmt::format("{:.0f} frames are more than {}; see --frames and --fps", count, kMaxFrames), asset.name};
  }
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    // A sheet shows the whole clip, evenly; a video its moments in time, again and again.
    const double time = sheet ? duration * i / count : i / options.fps;
    times.push_back(duration > 0 ? std::fmod(time, duration) : 0);
  }
  return times;
}

/// Cameras of a take: from a file, or around the body.
Status place_cameras(const asset::Asset& asset, const scene::Body& body, const RenderOptions& options,
                     const RenderPlan& plan, Take& take) {
  if (!options.cameras.empty()) {
    LIMBER_TRY(const Bytes bytes, read_file(options.cameras, std::uint64_t{1} << 30));
    LIMBER_TRY(scene::CameraList list, scene::cameras_from_json(std::string(as_text(bytes)), options.cameras,
                                                                static_cast<int>(take.times.size())));
    take.cameras = std::move(list.cameras);
    take.views = list.views;
    return Done{};
  }
  std::vector<std::vector<Vec3>> outlines;
  scene::BodyPose pose;
  const std::vector<std::uint32_t> seen = scene::seen_points(body.mesh());
  std::vector<Vec3> points;
  for (const double time : take.times) {
    if (take.clip < 0 && !outlines.empty()) {
      outlines.push_back(outlines[0]);
      continue;
    }
    body.pose(state_at(asset, take.clip, time), pose);
    points.clear();
    for (const std::uint32_t i : seen) points.push_back(pose.points[i]);
    outlines.push_back(scene::outline(seen.empty() ? pose.joints : points));
  }
  take.views = plan.orbit.views;
  take.cameras = scene::orbit_cameras(outlines, options.fps, plan.orbit);
  return Done{};
}

/// A ground that suits the body: long low ones get larger squares.
void fit_ground(const asset::Asset& asset, const scene::Body& body, scene::GroundSettings& ground) {
  scene::BodyPose pose;
  body.pose(asset::rest_state(asset), pose);
  const scene::Box box = scene::pose_box(body.mesh(), pose);
  if (box.empty()) return;
  const float size = std::max(1.0f, 0.6f * std::max(box.size().x, box.size().z));
  ground.cell *= size, ground.fade *= size;
}

// --- drawing
// -----------------------------------------------------------------------------------------------------------

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// Only letters that any file's name may have.
std::string file_word(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  }
  if (!name.empty() && name[0] == '.') name[0] = '_';  // nothing hidden, and no way up to another folder
  return name.empty() ? "clip" : name;
}

/// Puts pictures together and hands them to their files: with {layer}, {view} or {clip} in the name one file for each,
/// else side by side, or one after the other.
class Canvas {
 public:
  Canvas(const OutputPlan& plan, const std::vector<scene::Layer>& layers, int views)
      : plan_(plan), layers_(layers), views_(views) {
    by_layer_ = plan.path.find("{layer}") != std::string::npos;
    by_view_ = plan.path.find("{view}") != std::string::npos;
    by_clip_ = plan.path.find("{clip}") != std::string::npos;
  }

  /// `pictures`: views x layers of one moment.
  Status add(const std::string& clip, const std::vector<Bitmap>& pictures) {
    const int layer_files = by_layer_ ? layer_count() : 1, view_files = by_view_ ? views_ : 1;
    for (int v = 0; v < view_files; ++v) {
      for (int l = 0; l < layer_files; ++l) LIMBER_CHECK_OK(add_to_file(clip, v, l, pictures));
    }
    return Done{};
  }

  /// After the last frame of a clip: files of its own are done.
  Status end_clip() { return by_clip_ ? finish() : Status(Done{}); }

  Status finish() {
    for (auto& [path, output] : outputs_) {
      LIMBER_CHECK_OK(output->finish());
      paths_.push_back(path);
    }
    outputs_.clear();
    return Done{};
  }

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  int layer_count() const { return static_cast<int>(layers_.size()); }

  Status add_to_file(const std::string& clip, int file_view, int file_layer, const std::vector<Bitmap>& pictures) {
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
    const int width = panels[0]->width, height = panels[0]->height;
    const int down = static_cast<int>(panels.size()) / across;
    if (panels.size() > 1 && (frame_.width != across * width || frame_.height != down * height)) {
      frame_ = Bitmap(across * width, down * height, 3);
    }
    for (std::size_t i = 0; panels.size() > 1 && i < panels.size(); ++i) {
      const int k = static_cast<int>(i);
      paste(*panels[i], k % across * width, k / across * height, frame_);
    }
    auto found = outputs_.find(path);
    if (found == outputs_.end()) {
      OutputPlan plan = plan_;
      plan.path = path;
      LIMBER_TRY(auto output, FrameOutput::open(plan, across * width, down * height));
      found = outputs_.emplace(path, std::move(output)).first;
    }
    return found->second->add(panels.size() > 1 ? frame_ : *panels[0]);
  }

  OutputPlan plan_;
  std::vector<scene::Layer> layers_;
  int views_;
  bool by_layer_ = false, by_view_ = false, by_clip_ = false;
  std::map<std::string, std::unique_ptr<FrameOutput>> outputs_;
  std::vector<std::string> paths_;  ///< that are finished
  Bitmap frame_;
};

/// The clips' names fit for files'; with their numbers where several have one name.
std::vector<std::string> clip_names(const asset::Asset& asset) {
  std::map<std::string, int> uses;
  for (const asset::Clip& clip : asset.clips) ++uses[file_word(clip.name)];
  std::vector<std::string> names;
  for (std::size_t i = 0; i < asset.clips.size(); ++i) {
    std::string name = file_word(asset.clips[i].name);
    if (uses[name] > 1) {
      name += fmt::format("_{}", i);
      while (uses[name] > 0) name += '_';
      uses[name] = 1;
    }
    names.push_back(std::move(name));
  }
  return names;
}

Status draw_take(const asset::Asset& asset, const scene::Body& body, const RenderPlan& plan, const Take& take,
                 scene::LayerRenderer& renderer, Canvas& canvas, const std::function<void()>& drawn) {
  const std::size_t frames = take.times.size();
  const auto views = static_cast<std::size_t>(take.views);
  scene::BodyPose pose;
  std::vector<Bitmap> pictures, panels(views * plan.layers.size());
  for (std::size_t f = 0; f < frames; ++f) {
    if (f == 0 || take.clip >= 0) {
      body.pose(state_at(asset, take.clip, take.times[f]), pose);
      renderer.set_pose(pose);
    }
    for (std::size_t v = 0; v < views; ++v) {
      // Swapped in and out, so that buffers are used again.
      const auto first = panels.begin() + static_cast<std::ptrdiff_t>(v * plan.layers.size());
      pictures.resize(plan.layers.size());
      std::swap_ranges(pictures.begin(), pictures.end(), first);
      renderer.draw(take.cameras[v * frames + f], plan.layers, pictures);
      std::swap_ranges(pictures.begin(), pictures.end(), first);
    }
    LIMBER_CHECK_OK(canvas.add(take.name, panels));
    drawn();
  }
  return canvas.end_clip();
}

/// What cannot be drawn of this asset, before anything is.
Status check(const asset::Asset& asset, const scene::Body& body, const RenderPlan& plan) {
  if (body.mesh().triangles.empty() && !body.subject()) return Error{"there is nothing to draw", asset.name};
  for (const scene::Layer layer : plan.layers) {
    const bool needs_rig =
        layer == scene::Layer::kParts || layer == scene::Layer::kSkeleton || layer == scene::Layer::kWeights;
    if (needs_rig && !body.subject()) {
      return Error{fmt::format("the layer '{}' needs a skeleton, and there is none", scene::name(layer)), asset.name};
    }
  }
  return Done{};
}

/// Whether the pictures that the cameras of a take ask for fit into memory.
Status check_size(const RenderPlan& plan, const Take& take, const std::string& where) {
  const bool sheet = plan.output.kind == OutputKind::kSheet;
  const double tiles = sheet ? double(plan.output.columns) * plan.output.rows : 1, gap = sheet ? kSheetGap : 0;
  const scene::Camera& camera = take.cameras[0];
  const double pixels =
      (camera.width + gap) * (camera.height + gap) * static_cast<double>(plan.layers.size()) * take.views * tiles;
  if (pixels > kMaxCanvas) return Error{fmt::format("a picture of {:.0f} pixels is too large", pixels), where};
  return Done{};
}

Result<std::vector<Take>> make_takes(const asset::Asset& asset, const scene::Body& body, const RenderOptions& options,
                                     const RenderPlan& plan) {
  std::vector<Take> takes;
  const std::vector<std::string> names = clip_names(asset);
  for (const int clip : plan.clips) {
    Take take;
    take.clip = clip;
    take.name = clip < 0 ? "rest" : names[static_cast<std::size_t>(clip)];
    LIMBER_TRY(take.times, frame_times(asset, clip, options, plan));
    LIMBER_CHECK_OK(place_cameras(asset, body, options, plan, take));
    LIMBER_CHECK_OK(check_size(plan, take, options.cameras.empty() ? "--size" : options.cameras));
    takes.push_back(std::move(take));
  }
  if (!options.write_cameras.empty()) {
    if (takes.size() > 1) return Error{"cameras of several clips do not fit into one file", options.write_cameras};
    LIMBER_CHECK_OK(write_file(options.write_cameras, scene::cameras_to_json(takes[0].cameras, takes[0].views)));
  }
  return takes;
}

Status render(const Terminal& terminal, const RenderOptions& options) {
  LIMBER_TRY(asset::Asset asset, read_asset_file(terminal, options.input));
  if (options.up != "+Y") LIMBER_CHECK_OK(turn_upright(asset, options.up));
  LIMBER_TRY(RenderPlan plan, make_plan(asset, options));
  LIMBER_TRY(const scene::Body body, scene::Body::from_asset(asset));
  for (const std::string& warning : body.warnings()) spdlog::warn("{}", printable(warning));
  // Of motion capture there is a skeleton to see.
  if (body.mesh().triangles.empty() && plan.layers == std::vector{scene::Layer::kRgb}) {
    plan.layers = {scene::Layer::kSkeleton};
  }
  LIMBER_CHECK_OK(check(asset, body, plan));
  LIMBER_TRY(const std::vector<Take> takes, make_takes(asset, body, options, plan));
  fit_ground(asset, body, plan.look.ground);

  std::size_t total = 0, done = 0;
  for (const Take& take : takes) total += take.times.size();
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> paths;
  {
    Activity activity(terminal, "rendering " + options.input);
    scene::LayerRenderer renderer(body, plan.look);
    Canvas canvas(plan.output, plan.layers, takes[0].views);
    const auto drawn = [&] { activity.update(static_cast<double>(++done) / static_cast<double>(total)); };
    for (const Take& take : takes) LIMBER_CHECK_OK(draw_take(asset, body, plan, take, renderer, canvas, drawn));
    LIMBER_CHECK_OK(canvas.finish());
    paths = canvas.paths();
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (terminal.json) {
    print_json({{"input", options.input},
                {"outputs", paths},
                {"frames", total},
                {"fps", options.fps},
                {"views", takes[0].views},
                {"layers", options.layers},
                {"seconds", seconds},
                {"warnings", body.warnings()}});
  } else {
    for (const std::string& path : paths) spdlog::info("wrote {}", path);
    spdlog::debug("{} frames in {:.2f} s, {:.1f} frames/s", total, seconds, static_cast<double>(total) / seconds);
  }
  return Done{};
}

void add_camera_options(CLI::App& command, RenderOptions& options) {
  command.add_flag("--turntable", options.turntable, "Turn once round the model (without --clip: at rest)");
  command.add_option("--azimuth", options.azimuth, "Degrees round the model: 0 from its front, 90 from its left")
      ->check(CLI::Range(-3600.0, 3600.0))
      ->capture_default_str()
      ->type_name("DEG");
  command.add_option("--elevation", options.elevation, "Degrees above the horizon")
      ->check(CLI::Range(-90.0, 90.0))
      ->capture_default_str()
      ->type_name("DEG");
  command.add_option("--views", options.views, "Cameras, spread evenly round the model")
      ->check(CLI::Range(1, 64))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--fill", options.fill, "Part of the picture that the model takes")
      ->check(CLI::Range(0.05, 1.0))
      ->capture_default_str()
      ->type_name("X");
  command.add_flag("--follow,!--no-follow", options.follow, "Move along with the model (default), or stand still");
  command.add_option("--cameras", options.cameras, "Cameras from a file that --write-cameras wrote")->type_name("FILE");
  command.add_option("--write-cameras", options.write_cameras, "Write the cameras as JSON")->type_name("FILE");
}

}  // namespace

Status render_preview(const Terminal& terminal, const std::string& input, const std::string& clip,
                      const std::string& output, double fps) {
  RenderOptions options;
  options.input = input, options.output = output, options.clip = clip;
  options.fps = fps, options.size = "512x384";
  return render({.quiet = terminal.quiet, .json = false}, options);
}

void add_render(CLI::App& app, Terminal& terminal) {
  auto options = std::make_shared<RenderOptions>();
  CLI::App* command =
      add_command(app, terminal, "render", "Draw a model: video, pictures or contact sheet, in several layers",
                  "  limber render fox.glb --clip Walk -o walk.mp4\n"
                  "  limber render fox.glb --clip Run --layers rgb,parts,skeleton -o run.mp4\n"
                  "  limber render fox.glb --clip Run --layers rgb,mask -o '{layer}.mp4'\n"
                  "  limber render fox.glb --turntable --size 1920x1080 -o turn.gif\n"
                  "  limber render fox.glb --clip Walk --sheet 6x2 -o sheet.png\n"
                  "  limber render fox.glb --clip Walk --time 0.4 -o pose.png\n"
                  "  limber render fox.glb --all-clips -o 'clips/{clip}_%04d.png'\n"
                  "Writes .mp4, .gif and .webp (through ffmpeg), .png, .jpg, and numbered pictures: a folder ending in "
                  "/, or %04d in\n"
                  "the name. {layer}, {view} and {clip} in the name make a file of each; otherwise layers and views "
                  "stand side by side\n"
                  "and clips follow each other.",
                  [&terminal, options] { return render(terminal, *options); });
  command->add_option("input", options->input, "The asset to draw")->required()->type_name("FILE");
  command
      ->add_option("-o,--output", options->output, "Where to write; by default beside you: NAME.mp4, or .png at rest")
      ->type_name("FILE");
  command
      ->add_option("--clip", options->clip, "Which clip: its name, #0 for the first, or 'rest'; by default the first")
      ->type_name("NAME");
  command->add_flag("--all-clips", options->all_clips, "All clips");
  command->add_option("--layers", options->layers, "rgb, mask, depth, normals, parts, skeleton, weights")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("LIST");
  command->add_option("--sheet", options->sheet, "A contact sheet of so many frames, evenly through the clip")
      ->type_name("COLSxROWS");
  command->add_option("--size", options->size, "Of every layer and view; 1280x720, in sheets 320x240")
      ->type_name("WxH");
  command->add_option("--fps", options->fps, "Frames a second")
      ->check(CLI::Range(0.1, 1000.0))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--frames", options->frames, "How many frames; 0: the whole clip once")
      ->check(CLI::Range(0, kMaxFrames))
      ->type_name("N");
  CLI::Option* time =
      command->add_option("--time", options->time, "Only this moment of the clip")->type_name("SECONDS");
  command->add_option("--quality", options->quality, "Of an .mp4: 0 lossless, 18 hardly visible, 28 small")
      ->check(CLI::Range(0, 51))
      ->capture_default_str()
      ->type_name("N");
  add_camera_options(*command, *options);
  command->add_option("--up", options->up, "Which axis of the file points up: +Y, +Z, -X ...")
      ->capture_default_str()
      ->type_name("AXIS");
  command->add_flag("--no-ground", options->no_ground, "No ground, only the sky");
  command->add_option("--sky", options->sky, "Colour behind everything")->type_name("RRGGBB");
  command->parse_complete_callback([options, time] { options->has_time = time->count() > 0; });
}

}  // namespace limber::cli
