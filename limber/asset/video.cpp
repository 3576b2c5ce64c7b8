// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/asset/video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "limber/asset/child_process.h"
#include "limber/asset/video_whole.h"
#include "limber/base/files.h"

namespace limber::asset {
namespace {

using Json = nlohmann::json;

constexpr const char* kPackage = "ffmpeg";
/// Larger frames are refused: 8192 x 8192.
constexpr std::uint64_t kMaxFramePixels = std::uint64_t{1} << 26;
constexpr int kMaxFrameSide = 16384;
constexpr std::size_t kMaxProbeBytes = std::size_t{4} << 20;
/// A GIF's palette is chosen when all frames are known, so ffmpeg holds them.
constexpr std::uint64_t kMaxGifBytes = std::uint64_t{2} << 30;
/// 4:2:0 to RGB and back without the shortcuts that shift colours.
constexpr const char* kExactScaling = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp";

Error with_place(Error error, const std::filesystem::path& path) {
  error.where = path.string();
  return error;
}

// --- probing

/// What reading needs to know beyond VideoInfo.
struct Stream {
  VideoInfo info;
  int index = 0;
  std::string color_space;
  bool knows_fps_mode = true;  ///< ffmpeg 5.1 renamed -vsync
};

/// ffprobe gives most numbers as text, fractions as "30000/1001".
double number(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return 0;
  const Json& value = object[key];
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return 0;
  const std::string text = value.get<std::string>();
  const double above = std::strtod(text.c_str(), nullptr);
  const std::size_t slash = text.find('/');
  const double below = slash == std::string::npos ? 1 : std::strtod(text.c_str() + slash + 1, nullptr);
  const double result = below != 0 ? above / below : 0;
  return std::isfinite(result) ? result : 0;
}

std::string text(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

Json member(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : Json();
}

/// Degrees by which the frames are turned when shown.
double rotation(const Json& stream) {
  for (const Json& data : member(stream, "side_data_list")) {
    if (data.is_object() && data.contains("rotation")) return number(data, "rotation");
  }
  return number(member(stream, "tags"), "rotate");
}

/// Whether an ffmpeg of this version takes -fps_mode. Versions that are not numbers are newer than any number.
bool has_fps_mode(const std::string& version) {
  char* end = nullptr;
  const long major = std::strtol(version.c_str(), &end, 10);
  if (end == version.c_str()) return true;
  const long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
  return major > 5 || (major == 5 && minor >= 1);
}

Result<Stream> choose_stream(const Json& probe, const std::string& said, const std::filesystem::path& path) {
  // Lists of other files would let a video show what its owner never gave.
  const std::string format = text(member(probe, "format"), "format_name");
  for (const char* list : {"hls", "dash", "concat", "sdp", "imf"}) {
    if (format.find(list) != std::string::npos)
      return Error{"a list of other files (" + format + "), not a video", path.string(), ErrorKind::kUnsupported};
  }
  for (const Json& stream : member(probe, "streams")) {
    if (number(member(stream, "disposition"), "attached_pic") != 0) continue;  // the cover of a song
    const double width = number(stream, "width"), height = number(stream, "height");
    if (width < 1 || height < 1) continue;
    if (width > kMaxFrameSide || height > kMaxFrameSide || width * height > static_cast<double>(kMaxFramePixels))
      return Error{fmt::format("frames of {} x {} are larger than limber reads", width, height), path.string(),
                   ErrorKind::kOutOfMemory};
    Stream result;
    const bool turned = std::fmod(std::abs(std::round(rotation(stream))), 180.0) == 90.0;
    result.info.width = static_cast<int>(turned ? height : width);
    result.info.height = static_cast<int>(turned ? width : height);
    result.info.fps = number(stream, "avg_frame_rate");
    if (result.info.fps <= 0) result.info.fps = number(stream, "r_frame_rate");
    result.info.frames = static_cast<int>(std::clamp(number(stream, "nb_frames"), 0.0, 1e9));
    result.info.seconds = number(stream, "duration");
    if (result.info.seconds <= 0) result.info.seconds = number(member(probe, "format"), "duration");
    result.index = static_cast<int>(std::clamp(number(stream, "index"), 0.0, 1e6));
    result.color_space = text(stream, "color_space");
    result.knows_fps_mode = has_fps_mode(text(member(probe, "program_version"), "version"));
    return result;
  }
  return Error{"holds no video" + (said.empty() ? "" : ": " + said), path.string()};
}

/// Options of both programs that keep them to this one file and to frames of bounded size.
std::vector<std::string> input_options() {
  return {"-hide_banner",
          "-v",
          "error",
          "-protocol_whitelist",
          "file,pipe",
          "-max_pixels",
          fmt::to_string(kMaxFramePixels),
          "-i",
          kChildFile};
}

Result<Stream> probe_video(int file, const std::filesystem::path& path) {
  std::vector<std::string> arguments{
      "-select_streams",
      "v",
      "-of",
      "json",
      "-show_program_version",
      "-show_entries",
      "stream=index,width,height,avg_frame_rate,r_frame_rate,nb_frames,duration,color_space:stream_disposition="
      "attached_pic:stream_side_data=rotation:stream_tags=rotate:format=format_name,duration"};
  for (const std::string& option : input_options()) arguments.push_back(option);
  Result<ChildProcess> child = ChildProcess::start("ffprobe", arguments, kPackage, file);
  if (!child.ok()) return with_place(std::move(child).error(), path);
  Bytes answer(kMaxProbeBytes);
  const Result<std::size_t> size = child->read(answer);
  if (!size.ok()) return with_place(size.error(), path);
  const Status status = child->finish();
  if (!status.ok()) return with_place(status.error(), path);
  const auto* data = reinterpret_cast<const char*>(answer.data());
  const Json probe = Json::parse(data, data + *size, nullptr, /*allow_exceptions=*/false);
  if (probe.is_discarded()) return Error{"ffprobe's answer is not JSON", path.string()};
  return choose_stream(probe, child->last_words(), path);
}

/// Open for reading, if it is an ordinary file.
Result<Descriptor> open_file(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return Error{std::string("cannot open: ") + std::strerror(errno), path.string(),
                 missing ? ErrorKind::kMissing : ErrorKind::kInput};
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return Error{"not a regular file", path.string()};
  if (info.st_size == 0) return Error{"the file is empty", path.string()};
  return file;
}

std::vector<std::string> decoder_arguments(const Stream& stream) {
  std::vector<std::string> arguments{"-nostdin", "-xerror"};
  for (const std::string& option : input_options()) arguments.push_back(option);
  // Files that do not say which matrix made them: as players guess, by their size.
  const VideoInfo& info = stream.info;
  const bool unsaid = stream.color_space.empty() || stream.color_space == "unknown";
  const bool large = std::max(info.width, info.height) >= 1280 || std::min(info.width, info.height) > 576;
  const std::string matrix = unsaid ? (large ? ":in_color_matrix=bt709" : ":in_color_matrix=bt601") : "";
  for (const std::string& option :
       {std::string("-map"), fmt::format("0:{}", stream.index), std::string("-vf"),
        fmt::format("scale={}:{}:{}{},format=rgb24", info.width, info.height, kExactScaling, matrix),
        std::string(stream.knows_fps_mode ? "-fps_mode" : "-vsync"), std::string("passthrough"), std::string("-f"),
        std::string("rawvideo"), std::string("pipe:1")}) {
    arguments.push_back(option);
  }
  return arguments;
}

/// As counted, or at least as many as fill the time.
int expected_frames(const VideoInfo& info) {
  if (info.frames > 0) return info.frames;
  return static_cast<int>(std::clamp(info.seconds * info.fps - 1, 0.0, 1e9));
}

}  // namespace

// --- reading

struct VideoReader::State {
  std::filesystem::path path;
  VideoInfo info;
  ChildProcess child;
  int frames = 0;
  bool ended = false;
};

VideoReader::VideoReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

Result<VideoReader> VideoReader::open(const std::filesystem::path& path) {
  LIMBER_TRY(const Descriptor file, open_file(path));
  LIMBER_TRY(const Stream stream, probe_video(file.get(), path));
  Result<ChildProcess> child = ChildProcess::start("ffmpeg", decoder_arguments(stream), kPackage, file.get());
  if (!child.ok()) return with_place(std::move(child).error(), path);
  return VideoReader(std::make_unique<State>(State{path, stream.info, std::move(child).value()}));
}

const VideoInfo& VideoReader::info() const { return state_->info; }

Result<bool> VideoReader::next(Bitmap& frame) {
  State& state = *state_;
  if (state.ended) return false;
  if (frame.width != state.info.width || frame.height != state.info.height || frame.channels != 3)
    frame = Bitmap(state.info.width, state.info.height, 3);
  const Result<std::size_t> size = state.child.read(std::as_writable_bytes(std::span(frame.pixels)));
  if (!size.ok()) return with_place(size.error(), state.path);
  if (*size == frame.pixels.size()) {
    ++state.frames;
    return true;
  }
  state.ended = true;
  const Status status = state.child.finish();
  if (!status.ok()) return with_place(status.error(), state.path);
  // ffmpeg is content with files that were cut; silence means that frames were left out on purpose (an edit list).
  const std::string words = state.child.last_words();
  const int expected = expected_frames(state.info);
  if (*size != 0 || state.frames == 0 || (state.frames < expected && !words.empty())) {
    return Error{
        fmt::format("ffmpeg gave {} of {} frames{}{}", state.frames, expected, words.empty() ? "" : ": ", words),
        state.path.string()};
  }
  return false;
}

// --- writing

namespace {

std::vector<std::string> encoder_arguments(const std::string& extension, int width, int height,
                                           const VideoSettings& settings) {
  std::vector<std::string> arguments{"-hide_banner",
                                     "-nostdin",
                                     "-v",
                                     "error",
                                     "-y",
                                     "-f",
                                     "rawvideo",
                                     "-pix_fmt",
                                     "rgb24",
                                     "-video_size",
                                     fmt::format("{}x{}", width, height),
                                     "-framerate",
                                     fmt::format("{:.9g}", settings.fps),
                                     "-i",
                                     "pipe:0"};
  const auto add = [&](std::initializer_list<std::string> options) {
    arguments.insert(arguments.end(), options.begin(), options.end());
  };
  if (extension == ".mp4") {
    add({"-vf", fmt::format("scale=out_color_matrix=bt709:out_range=tv:{},format=yuv420p", kExactScaling)});
    add({"-c:v", "libx264", "-preset", settings.fast ? "veryfast" : "medium"});
    add({"-crf", fmt::to_string(settings.crf), "-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace",
         "bt709", "-color_range", "tv", "-movflags", "+faststart", "-f", "mp4"});
  } else if (extension == ".gif") {
    add({"-filter_complex",
         "split[one][two];[one]palettegen=stats_mode=diff[palette];"
         "[two][palette]paletteuse=dither=sierra2_4a:diff_mode=rectangle",
         "-loop", "0", "-f", "gif"});
  } else {
    // libwebp's quality runs from 0 to 100; these look alike.
    const int quality = std::clamp(100 - settings.crf * 6 / 5, 0, 100);
    add({"-c:v", "libwebp_anim", "-pix_fmt", "bgra", "-lossless", settings.crf == 0 ? "1" : "0", "-quality",
         fmt::to_string(quality), "-loop", "0", "-f", "webp"});
  }
  add({kChildFile});
  return arguments;
}

}  // namespace

struct VideoWriter::State {
  std::filesystem::path path;
  int width, height;            // of the frames given
  int file_width, file_height;  // of the frames written
  bool gif;
  UnfinishedFile file;  // before the child, so that it is removed after the child has gone
  ChildProcess child;
  Bitmap padded;
  std::uint64_t bytes = 0;
  bool finished = false;
};

VideoWriter::VideoWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

Result<VideoWriter> VideoWriter::create(const std::filesystem::path& path, int width, int height,
                                        const VideoSettings& settings) {
  LIMBER_EXPECT(width > 0 && height > 0, fmt::format("{} x {}", width, height));
  LIMBER_EXPECT(settings.fps > 0 && settings.fps <= 1000, fmt::to_string(settings.fps));
  LIMBER_EXPECT(settings.crf >= 0 && settings.crf <= 51, fmt::to_string(settings.crf));
  const std::string extension = lower_extension(path);
  if (!is_video_path(path))
    return Error{"videos are written as .mp4, .gif or .webp, not '" + extension + "'", path.string(),
                 ErrorKind::kUnsupported};
  if (width > kMaxFrameSide || height > kMaxFrameSide)
    return Error{fmt::format("a video of {} x {} is too large", width, height), path.string(), ErrorKind::kUnsupported};
  if (extension == ".gif" && settings.fps > 50)
    return Error{"a GIF shows at most 50 frames a second", path.string(), ErrorKind::kUnsupported};
  // Chroma has half the resolution, so sides must be even.
  const int odd = extension == ".mp4" ? 1 : 0;
  const int file_width = width + (width & odd), file_height = height + (height & odd);
  LIMBER_TRY(UnfinishedFile file, UnfinishedFile::create(path));
  Result<ChildProcess> child = ChildProcess::start(
      "ffmpeg", encoder_arguments(extension, file_width, file_height, settings), kPackage, file.descriptor());
  if (!child.ok()) return with_place(std::move(child).error(), path);
  return VideoWriter(
      std::make_unique<State>(State{path, width, height, file_width, file_height, extension == ".gif", std::move(file),
                                    std::move(child).value(), Bitmap(file_width, file_height, 3)}));
}

Status VideoWriter::add(const Bitmap& frame) {
  State& state = *state_;
  LIMBER_EXPECT(!state.finished, "a frame for a finished video");
  LIMBER_EXPECT(frame.width == state.width && frame.height == state.height && frame.channels == 3,
                fmt::format("{} x {} x {} for a video of {} x {}", frame.width, frame.height, frame.channels,
                            state.width, state.height));
  state.bytes += frame.pixels.size();
  if (state.gif && state.bytes > kMaxGifBytes)
    return Error{"too long and large for a GIF: write .mp4 or .webp", state.path.string(), ErrorKind::kOutOfMemory};
  const Bitmap* shown = &frame;
  if (state.file_width != state.width || state.file_height != state.height) {
    // The added row and column repeat their neighbours, which compresses and looks better than black.
    for (int y = 0; y < state.file_height; ++y) {
      const std::uint8_t* row = frame.at(0, std::min(y, state.height - 1));
      const std::size_t length = 3 * static_cast<std::size_t>(state.width);
      std::memcpy(state.padded.at(0, y), row, length);
      if (state.file_width > state.width) std::memcpy(state.padded.at(state.width, y), row + length - 3, 3);
    }
    shown = &state.padded;
  }
  const Status status = state.child.write(std::as_bytes(std::span(shown->pixels)));
  if (!status.ok()) return with_place(status.error(), state.path);
  return Done{};
}

Status VideoWriter::finish() {
  State& state = *state_;
  LIMBER_EXPECT(!state.finished, "a video finished twice");
  state.finished = true;
  if (state.bytes == 0) return Error{"a video without frames", state.path.string()};
  const Status status = state.child.finish();
  if (!status.ok()) return with_place(status.error(), state.path);
  // ffmpeg 5 exits with 0 where the disk is full, having said so.
  const std::string words = state.child.last_words();
  if (words.find("rror") != std::string::npos ||
      !is_whole_video(lower_extension(state.path), state.file.descriptor())) {
    return Error{"ffmpeg wrote no whole video" + (words.empty() ? "" : ": " + words), state.path.string()};
  }
  return state.file.commit();
}

bool is_video_path(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".mp4" || extension == ".gif" || extension == ".webp";
}

}  // namespace limber::asset
