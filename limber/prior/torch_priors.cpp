// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/torch_priors.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "limber/nn/device.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/sketch_weights.h"
#include "limber/prior/text_encoder.h"

namespace limber::prior {
namespace {

constexpr double kGigabyte = 1e9;

/// The shapes of a component's tensors.
nn::Weights plan_of(const Checkpoint& checkpoint, const std::string& component) {
  nn::Weights weights = nn::Weights::plan();
  if (component == "transformer") {
    make_denoiser(checkpoint, weights.root());
  } else {
    make_autoencoder(checkpoint, weights.root());
  }
  return weights;
}

/// Compares what a component's files hold with what the model asks for.
ComponentReport inspect_weights(const Checkpoint& checkpoint, const std::string& component, const nn::Weights& plan) {
  ComponentReport report;
  report.name = component;
  report.parameters = plan.parameter_count();
  const Result<nn::TensorArchive> archive = nn::TensorArchive::open(checkpoint.path / component);
  if (!archive.ok()) {
    report.problems.push_back(archive.error().message());
    return report;
  }
  report.present = true;
  report.file_bytes = archive->byte_size();
  std::set<std::string> types, known;
  for (const auto& [name, tensor] : plan.tensors()) {
    known.insert(name);
    const Result<nn::TensorView> view = archive->find(name);
    if (!view.ok()) {
      report.problems.push_back(archive->where(name) + ": missing tensor");
    } else if (view->shape != nn::Shape(tensor.sizes().begin(), tensor.sizes().end())) {
      report.problems.push_back(archive->where(name) + ": shape " + nn::to_string(view->shape));
    }
  }
  for (const auto& [name, view] : archive->tensors()) {
    types.insert(std::string(nn::name(view.dtype)));
    if (known.count(name) == 0) report.problems.push_back(archive->where(name) + ": unexpected tensor");
  }
  report.types.assign(types.begin(), types.end());
  return report;
}

ComponentReport inspect_text_encoder(const Checkpoint& checkpoint) {
  const Result<T5Config> config = read_t5_config(checkpoint.path / "text_encoder" / "config.json");
  if (!config.ok()) return {"text_encoder", false, 0, 0, {}, {config.error().message()}};
  nn::Weights plan = nn::Weights::plan();
  describe_t5(plan, *config);
  ComponentReport report = inspect_weights(checkpoint, "text_encoder", plan);
  // Some exports store the embedding table twice.
  const auto tied = [](const std::string& problem) {
    return problem.find("#encoder.embed_tokens.weight") != std::string::npos;
  };
  report.problems.erase(std::remove_if(report.problems.begin(), report.problems.end(), tied), report.problems.end());
  return report;
}

ComponentReport inspect_tokenizer(const Checkpoint& checkpoint) {
  ComponentReport report;
  report.name = "tokenizer";
  const Result<Tokenizer> tokenizer = Tokenizer::open(checkpoint.path / "tokenizer");
  report.present = tokenizer.ok();
  if (!tokenizer.ok()) report.problems.push_back(tokenizer.error().message());
  return report;
}

/// Numbers that the encoder's way back needs.
struct EncoderCost {
  double kept = 0;      ///< per frame of the video: every norm keeps its input, convolutions keep nothing
  double memories = 0;  ///< between chunks: two frames before every convolution in time
  double widest = 0;    ///< per frame: the largest single tensor
};

/// Follows the encoder level by level. Each norm stands before a convolution in time.
class EncoderTally {
 public:
  explicit EncoderTally(const VideoSize& size) : area_(static_cast<double>(size.height) * size.width) {}
  void norm(int channels) {
    cost.kept += area_ * frames_ * channels;
    cost.memories += 2 * area_ * channels;
    cost.widest = std::max(cost.widest, area_ * frames_ * channels);
  }
  void resnets(int count, int in, int out) {
    for (int k = 0; k < count; ++k) norm(k == 0 ? in : out), norm(out);
  }
  void attention(int channels) { cost.kept += 4.0 * area_ * frames_ * channels; }
  void halve(bool in_time) { area_ /= 4, frames_ /= in_time ? 2 : 1; }

  EncoderCost cost;

 private:
  double area_, frames_ = 1;
};

EncoderCost encoder_cost(const Checkpoint& checkpoint, const VideoSize& size) {
  EncoderTally tally(size);
  const auto follow = [&](const std::vector<int>& widths, int resnets, const auto& halves_time, bool attends) {
    int width = widths.front();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) tally.halve(halves_time(i - 1));
      tally.resnets(resnets, width, widths[i]);
      width = widths[i];
    }
    tally.resnets(2, width, width);
    if (attends) tally.attention(width);
    tally.norm(width);
  };
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    const auto levels = static_cast<std::size_t>(model->vae.time_levels);
    follow(
        model->vae.channels, model->vae.resnets, [&](std::size_t i) { return i < levels; }, false);
  } else {
    const WanVaeConfig& vae = std::get<WanModel>(checkpoint.model).vae;
    std::vector<int> widths;
    for (const int multiplier : vae.multipliers) widths.push_back(vae.base_channels * multiplier);
    follow(
        widths, vae.resnets, [&](std::size_t i) { return vae.time_levels[i]; }, true);
  }
  return tally.cost;
}

std::string gigabytes(std::uint64_t bytes) { return fmt::format("{:.1f} GB", static_cast<double>(bytes) / kGigabyte); }

}  // namespace

bool wants_float8(const LoadSettings& settings) { return settings.dtype == "float8"; }

Result<std::vector<nn::Placement>> placements_of(const LoadSettings& settings) {
  std::vector<nn::Placement> placements;
  for (std::size_t begin = 0; begin <= settings.device.size();) {
    const std::size_t end = std::min(settings.device.find(',', begin), settings.device.size());
    nn::Placement& placement = placements.emplace_back();
    LIMBER_TRY(placement.device, nn::device_named(settings.device.substr(begin, end - begin)));
    if (placement.device.type() != placements.front().device.type()) {
      return Error{"devices of one kind, not GPUs beside the CPU", settings.device};
    }
    begin = end + 1;
  }
  if (wants_float8(settings) && settings.offload) {
    return Error{"blocks that are offloaded stay as they are: 8-bit floats go with blocks on the device",
                 settings.dtype};
  }
  const at::Device first = placements.front().device;
  at::ScalarType dtype = at::kFloat;
  if (settings.dtype == "auto" || wants_float8(settings)) {
    dtype = nn::fast_dtype(first);
  } else if (settings.dtype == "bfloat16") {
    dtype = at::kBFloat16;
  } else if (settings.dtype != "float32") {
    return Error{"no type '" + settings.dtype + "'; float32, bfloat16 or float8", ""};
  }
  for (nn::Placement& placement : placements) {
    placement.dtype = dtype;
    if (wants_float8(settings) && placement.device.is_cuda() && !multiplies_float8(placement.device)) {
      return Error{"8-bit floats need a Hopper GPU, and a LibTorch from 2.5 on with CUDA", settings.device,
                   ErrorKind::kDevice};
    }
  }
  // Debian's LibTorch crashes in 16-bit convolutions on some CPUs and gets their gradients wrong on all.
  if (first.is_cpu() && dtype != at::kFloat) {
    return Error{"bfloat16 is for GPUs; a CPU computes in float32", settings.device};
  }
  if (first.is_cuda()) {
    // The fastest convolutions that always give the same bits; float means float.
    at::globalContext().setBenchmarkCuDNN(true);
    at::globalContext().setDeterministicCuDNN(true);
    // Beside 16-bit weights, what stays in float (Wan's autoencoder) may round its factors to ten bits.
    at::globalContext().setAllowTF32CuDNN(dtype != at::kFloat);
  }
  return placements;
}

Result<nn::Placement> placement_of(const LoadSettings& settings, const std::string& who) {
  LIMBER_TRY(const std::vector<nn::Placement> placements, placements_of(settings));
  if (placements.size() > 1) return Error{who + " computes on one device", settings.device};
  if (wants_float8(settings)) return Error{who + " has no layers for 8-bit floats", settings.dtype};
  return placements.front();
}

nn::Placement autoencoder_placement(const Checkpoint& checkpoint, nn::Placement placement) {
  if (std::holds_alternative<WanModel>(checkpoint.model)) placement.dtype = at::kFloat;
  return placement;
}

Status check_memory(const Checkpoint& checkpoint, const std::vector<nn::Placement>& placements,
                    const LoadSettings& settings) {
  const nn::Placement& first = placements.front();
  const MemoryNeed need =
      memory_needed(checkpoint, native_size(checkpoint), static_cast<int>(at::elementSize(first.dtype)));
  const std::uint64_t weights = need.weights - (settings.offload ? need.offloaded : 0);
  for (const nn::Placement& placement : placements) {
    const auto here = [&](const nn::Placement& other) { return other.device == placement.device; };
    const auto copies = static_cast<std::uint64_t>(std::count_if(placements.begin(), placements.end(), here));
    const std::uint64_t available =
        settings.memory_limit ? *settings.memory_limit : nn::device_memory(placement.device);
    const bool unknown = !settings.memory_limit && available == 0;
    if (unknown || copies * weights <= available) continue;
    return Error{
        fmt::format("the weights need {} as {}, {} when blocks are offloaded, and scoring a video of the native size "
                    "about {}; there is {}{}",
                    gigabytes(need.weights), at::toString(placement.dtype), gigabytes(need.weights - need.offloaded),
                    gigabytes(need.score()), gigabytes(available),
                    copies > 1 ? fmt::format(" for {} copies", copies) : ""),
        checkpoint.name};
  }
  return Done{};
}

/// CogVideoX joins text and video into one sequence whose length it was trained for; Wan pads its text anyway.
Status check_text_length(const Checkpoint& checkpoint, std::optional<int> length) {
  LIMBER_EXPECT(!length || *length >= 1, std::to_string(*length));
  const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model);
  if (!length || !model || *length == model->transformer.text_length) return Done{};
  return Error{fmt::format("reads prompts of {} tokens, no other length", model->transformer.text_length),
               checkpoint.name};
}

bool CheckpointReport::complete() const {
  return std::all_of(components.begin(), components.end(),
                     [](const ComponentReport& report) { return report.present && report.problems.empty(); });
}

CheckpointReport inspect_components(const Checkpoint& checkpoint) {
  CheckpointReport report;
  for (const char* component : {"transformer", "vae"}) {
    report.components.push_back(inspect_weights(checkpoint, component, plan_of(checkpoint, component)));
  }
  report.components.push_back(inspect_text_encoder(checkpoint));
  report.components.push_back(inspect_tokenizer(checkpoint));
  return report;
}

// Memories are kept for every chunk; while one is worked on, those that it gets and leaves have gradients too.
std::uint64_t MemoryNeed::score() const {
  const std::uint64_t stored = static_cast<std::uint64_t>(chunks) * chunk_memories;
  return weights + stored + std::max(denoiser, chunk_tape + 3 * chunk_memories + chunk_work);
}
std::uint64_t MemoryNeed::score_kept() const {
  return weights + tape + std::max(denoiser, 2 * chunk_memories + chunk_work);
}
std::uint64_t MemoryNeed::score_sampled() const {
  return weights + chunk_tape + std::max(denoiser, 2 * chunk_memories + chunk_work);
}
std::uint64_t MemoryNeed::sample() const { return weights + std::max(denoiser, decoder); }

MemoryNeed memory_needed(const Checkpoint& checkpoint, const VideoSize& size, int bytes_per_number) {
  const int autoencoder_bytes = std::holds_alternative<WanModel>(checkpoint.model) ? 4 : bytes_per_number;
  const auto bytes = [](double numbers, double each) { return static_cast<std::uint64_t>(numbers * each); };
  MemoryNeed need;
  const auto transformer = static_cast<double>(plan_of(checkpoint, "transformer").parameter_count());
  nn::Weights vae_plan = nn::Weights::plan();
  const std::unique_ptr<Autoencoder> autoencoder = make_autoencoder(checkpoint, vae_plan.root());
  const auto vae = static_cast<double>(vae_plan.parameter_count());
  const int layers = std::visit([](const auto& model) { return model.transformer.layers; }, checkpoint.model);
  need.weights = bytes(transformer, bytes_per_number) + bytes(vae, autoencoder_bytes);
  // Nearly all of a transformer is in its blocks, of which up to two are on the device.
  need.offloaded = bytes(transformer * std::max(0, layers - 2) / layers, bytes_per_number);

  // Text passes layer by layer beside the embedding table.
  const Result<T5Config> text = read_t5_config(checkpoint.path / "text_encoder" / "config.json");
  if (text.ok()) {
    const double layer = static_cast<double>(text->width) * (4.0 * static_cast<double>(text->heads * text->head_dim) +
                                                             3.0 * static_cast<double>(text->ff_width));
    need.text_encoder = bytes(static_cast<double>(text->vocabulary * text->width) + 2 * layer, bytes_per_number);
  }

  // The widest moment of a block: the stream, its norm, and the feed-forward layer's input and output.
  const VideoSize latent = latent_size(checkpoint, size);
  const double tokens = static_cast<double>(latent.frames) * latent.height * latent.width / 4;
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    need.denoiser =
        bytes(2 * (tokens + model->transformer.text_length) * model->transformer.width() * 11, bytes_per_number);
  } else {
    const WanConfig& wan = std::get<WanModel>(checkpoint.model).transformer;
    need.denoiser = bytes(2 * tokens * (3.0 * wan.width() + 2.0 * wan.ffn_width), bytes_per_number);
  }

  const EncoderCost cost = encoder_cost(checkpoint, size);
  int longest = 1;
  const std::vector<ChunkRange> chunks = autoencoder->encoder_chunks(size.frames);
  for (const ChunkRange& chunk : chunks) longest = std::max(longest, chunk.end - chunk.begin);
  need.chunks = static_cast<int>(chunks.size());
  need.tape = bytes(size.frames * cost.kept, autoencoder_bytes);
  need.chunk_tape = bytes(longest * cost.kept, autoencoder_bytes);
  need.chunk_memories = bytes(cost.memories, autoencoder_bytes);
  // Gradient in, gradient out and the extended input where the norm is one kernel (group norm in 16 bits); else a dozen
  // steps of it in float, of which ten are there at once.
  const bool fused = autoencoder_bytes == 2 && std::holds_alternative<CogVideoXModel>(checkpoint.model);
  need.chunk_work = fused ? bytes(3 * longest * cost.widest, autoencoder_bytes) : bytes(10 * longest * cost.widest, 4);
  need.decoder = bytes(8 * longest * cost.widest, 4) + bytes(3.0 * size.frames * size.height * size.width, 8);
  return need;
}

Result<Condition> LatentPrior::condition(const Prompt& prompt, const Frames*) {
  if (checkpoint_.path.empty()) return Error{"a model with made-up weights has no text encoder", info_.name};
  return nn::guarded(checkpoint_.path.string(), [&]() -> Result<Condition> {
    // Holds no weights: they pass through the device layer by layer.
    TextEncoderSettings settings;
    settings.length = info_.text_length;
    settings.placement = denoisers_.front()->placement();
    settings.cache = settings_.text_cache.value_or("");
    LIMBER_TRY(TextEncoder encoder, TextEncoder::open(checkpoint_.path, settings));
    LIMBER_TRY(const std::vector<TextEmbedding> rows, encoder.encode({prompt.text, prompt.negative}));
    Condition condition;
    condition.prompt = prompt;
    condition.length = static_cast<int>(rows[0].rows.size(0)), condition.width = static_cast<int>(rows[0].rows.size(1));
    condition.text = to_floats(rows[0].rows), condition.negative = to_floats(rows[1].rows);
    condition.left_out = static_cast<int>(encoder.tokenize(prompt.text).left_out);
    return condition;
  });
}

namespace {

Result<std::unique_ptr<VideoPrior>> load_with_torch(const std::filesystem::path& folder, const LoadSettings& settings) {
  if (is_sketch_model(folder)) return open_torch_sketch_prior(folder, settings);
  LIMBER_TRY(Checkpoint checkpoint, read_checkpoint(folder));
  LIMBER_CHECK_OK(check_text_length(checkpoint, settings.text_length));
  LIMBER_TRY(const std::vector<nn::Placement> placements, placements_of(settings));
  LIMBER_CHECK_OK(check_memory(checkpoint, placements, settings));
  return nn::guarded(folder.string(), [&]() -> Result<std::unique_ptr<VideoPrior>> {
    std::vector<std::unique_ptr<Denoiser>> denoisers;
    for (const nn::Placement& placement : placements) {
      const nn::Placement stored{settings.offload ? at::Device(at::kCPU) : placement.device, placement.dtype};
      LIMBER_TRY(nn::Weights transformer, nn::Weights::open(folder / "transformer", stored));
      denoisers.push_back(make_denoiser(checkpoint, transformer.root()));
      LIMBER_CHECK_OK(transformer.finish());
      if (wants_float8(settings)) denoisers.back()->narrow_blocks();
      if (settings.offload) denoisers.back()->stream_blocks_to(placement.device);
    }
    LIMBER_TRY(nn::Weights vae,
               nn::Weights::open(folder / "vae", autoencoder_placement(checkpoint, placements.front())));
    std::unique_ptr<Autoencoder> autoencoder = make_autoencoder(checkpoint, vae.root());
    LIMBER_CHECK_OK(vae.finish());
    return std::unique_ptr<VideoPrior>(
        std::make_unique<LatentPrior>(std::move(checkpoint), std::move(denoisers), std::move(autoencoder), settings));
  });
}

}  // namespace

void use_torch_priors() { set_torch_loader(load_with_torch); }

}  // namespace limber::prior
