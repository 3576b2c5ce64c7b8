// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "limber/nn/device.h"
#include "limber/prior/latent_prior.h"
#include "limber/prior/part_prior.h"
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

/// Numbers that the encoder's backward pass keeps, and its largest single tensor, per frame of the video.
struct EncoderCost {
  double kept = 0, widest = 0, memories = 0;
};

EncoderCost encoder_cost(const Checkpoint& checkpoint, const VideoSize& size) {
  EncoderCost cost;
  const double pixels = static_cast<double>(size.height) * size.width;
  double area = pixels, frames = 1;
  const auto add_level = [&](int channels, int resnets, bool halves_time) {
    const double numbers = area * frames * channels;
    cost.kept += 2 * resnets * numbers;
    cost.memories += 2 * 2 * resnets * area * channels;
    cost.widest = std::max(cost.widest, numbers);
    area /= 4, frames /= halves_time ? 2 : 1;
  };
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    for (std::size_t i = 0; i < model->vae.channels.size(); ++i) {
      add_level(model->vae.channels[i], model->vae.resnets, static_cast<int>(i) < model->vae.time_levels);
    }
  } else {
    const WanVaeConfig& vae = std::get<WanModel>(checkpoint.model).vae;
    for (std::size_t i = 0; i < vae.multipliers.size(); ++i) {
      add_level(vae.base_channels * vae.multipliers[i], vae.resnets, i < vae.time_levels.size() && vae.time_levels[i]);
    }
  }
  return cost;
}

std::string gigabytes(std::uint64_t bytes) { return fmt::format("{:.1f} GB", static_cast<double>(bytes) / kGigabyte); }

}  // namespace

Result<nn::Placement> placement_of(const LoadSettings& settings) {
  nn::Placement placement;
  if (settings.device == "auto") {
    placement.device = nn::best_device();
  } else if (settings.device != "cpu") {
    if (settings.device.rfind("cuda", 0) != 0)
      return Error{"no device '" + settings.device + "'; cpu, cuda or cuda:N", ""};
    if (!nn::cuda_available()) return Error{"this build or machine has no GPU", settings.device};
    LIMBER_TRY(placement.device,
               nn::guarded(settings.device, [&]() -> Result<at::Device> { return at::Device(settings.device); }));
  }
  if (settings.dtype == "auto") {
    placement.dtype = nn::fast_dtype(placement.device);
  } else if (settings.dtype == "float32" || settings.dtype == "bfloat16") {
    placement.dtype = settings.dtype == "float32" ? at::kFloat : at::kBFloat16;
  } else {
    return Error{"no type '" + settings.dtype + "'; float32 or bfloat16", ""};
  }
  // Debian's LibTorch crashes in 16-bit convolutions on some CPUs and gets their gradients wrong on all.
  if (placement.device.is_cpu() && placement.dtype != at::kFloat) {
    return Error{"bfloat16 is for GPUs; a CPU computes in float32", settings.device};
  }
  if (placement.device.is_cuda()) {
    // The fastest convolutions that always give the same bits; float means float.
    at::globalContext().setBenchmarkCuDNN(true);
    at::globalContext().setDeterministicCuDNN(true);
    // Beside 16-bit weights, what stays in float (Wan's autoencoder) may round its factors to ten bits.
    at::globalContext().setAllowTF32CuDNN(placement.dtype != at::kFloat);
  }
  return placement;
}

nn::Placement autoencoder_placement(const Checkpoint& checkpoint, nn::Placement placement) {
  if (std::holds_alternative<WanModel>(checkpoint.model)) placement.dtype = at::kFloat;
  return placement;
}

Status check_memory(const Checkpoint& checkpoint, const nn::Placement& placement, const LoadSettings& settings) {
  const MemoryNeed need =
      memory_needed(checkpoint, native_size(checkpoint), static_cast<int>(at::elementSize(placement.dtype)));
  const std::uint64_t available =
      settings.memory_limit > 0 ? settings.memory_limit : nn::device_memory(placement.device);
  const std::uint64_t weights = need.weights - (settings.offload ? need.offloaded : 0);
  if (available == 0 || weights <= available) return Done{};
  return Error{
      fmt::format("the weights need {} as {}, {} when blocks are offloaded, and scoring a video of the native size "
                  "about {}; there is {}",
                  gigabytes(need.weights), at::toString(placement.dtype), gigabytes(need.weights - need.offloaded),
                  gigabytes(need.score()), gigabytes(available)),
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

std::uint64_t MemoryNeed::score() const { return weights + std::max(denoiser, encoder); }
std::uint64_t MemoryNeed::sample() const { return weights + std::max(denoiser, decoder); }

MemoryNeed memory_needed(const Checkpoint& checkpoint, const VideoSize& size, int bytes_per_number) {
  const auto bytes = [](double numbers, double each) { return static_cast<std::uint64_t>(numbers * each); };
  MemoryNeed need;
  const auto transformer = static_cast<double>(plan_of(checkpoint, "transformer").parameter_count());
  const auto vae = static_cast<double>(plan_of(checkpoint, "vae").parameter_count());
  const int layers = std::visit([](const auto& model) { return model.transformer.layers; }, checkpoint.model);
  need.weights = bytes(transformer + vae, bytes_per_number);
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

  // One chunk's widest layer is worked on in float, several times over.
  const EncoderCost cost = encoder_cost(checkpoint, size);
  const double chunk = std::min(size.frames, 9), chunks = std::max(1.0, size.frames / 8.0);
  const std::uint64_t working = bytes(8 * chunk * cost.widest, 4);
  need.encoder_kept = working + bytes(size.frames * cost.kept, bytes_per_number);
  need.encoder = working + bytes(chunk * cost.kept + chunks * cost.memories, bytes_per_number);
  need.decoder = working + bytes(3.0 * size.frames * size.height * size.width, 8);
  return need;
}

Result<Condition> LatentPrior::condition(const Prompt& prompt, const Frames*) {
  if (checkpoint_.path.empty()) return Error{"a model with made-up weights has no text encoder", info_.name};
  return nn::guarded(checkpoint_.path.string(), [&]() -> Result<Condition> {
    // Holds no weights: they pass through the device layer by layer.
    TextEncoderSettings settings;
    settings.length = info_.text_length;
    settings.placement = denoiser_->placement();
    settings.cache = settings_.text_cache;
    LIMBER_TRY(TextEncoder encoder, TextEncoder::open(checkpoint_.path, settings));
    LIMBER_TRY(const std::vector<TextEmbedding> rows, encoder.encode({prompt.text, prompt.negative}));
    Condition condition;
    condition.prompt = prompt;
    condition.length = static_cast<int>(rows[0].rows.size(0)), condition.width = static_cast<int>(rows[0].rows.size(1));
    condition.text = to_floats(rows[0].rows), condition.negative = to_floats(rows[1].rows);
    return condition;
  });
}

Result<std::unique_ptr<VideoPrior>> load_prior(const std::filesystem::path& folder, const LoadSettings& settings) {
  if (std::filesystem::exists(folder / kPartModelFile)) return load_part_prior(folder, settings);
  LIMBER_TRY(Checkpoint checkpoint, read_checkpoint(folder));
  LIMBER_TRY(const nn::Placement placement, placement_of(settings));
  LIMBER_CHECK_OK(check_memory(checkpoint, placement, settings));
  return nn::guarded(folder.string(), [&]() -> Result<std::unique_ptr<VideoPrior>> {
    const nn::Placement stored{settings.offload ? at::Device(at::kCPU) : placement.device, placement.dtype};
    LIMBER_TRY(nn::Weights transformer, nn::Weights::open(folder / "transformer", stored));
    std::unique_ptr<Denoiser> denoiser = make_denoiser(checkpoint, transformer.root());
    LIMBER_CHECK_OK(transformer.finish());
    if (settings.offload) denoiser->stream_blocks_to(placement.device);
    LIMBER_TRY(nn::Weights vae, nn::Weights::open(folder / "vae", autoencoder_placement(checkpoint, placement)));
    std::unique_ptr<Autoencoder> autoencoder = make_autoencoder(checkpoint, vae.root());
    LIMBER_CHECK_OK(vae.finish());
    return std::unique_ptr<VideoPrior>(
        std::make_unique<LatentPrior>(std::move(checkpoint), std::move(denoiser), std::move(autoencoder), settings));
  });
}

}  // namespace limber::prior
