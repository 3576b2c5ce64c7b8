// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "limber/base/files.h"
#include "limber/nn/json.h"

namespace limber::prior {
namespace {

using nlohmann::json;

constexpr const char* kSupported = "limber runs CogVideoX 2B and 5B and Wan 2.1, text to video";

/// The typed fields of one configuration file. The first thing wrong is kept for `finish`.
class ConfigFile {
 public:
  static Result<ConfigFile> read(const std::filesystem::path& path) {
    LIMBER_TRY(const Bytes bytes, read_file(path, std::uint64_t{16} << 20));
    LIMBER_TRY(json document, nn::parse_json(as_text(bytes), path.string()));
    return ConfigFile(path.string(), std::move(document));
  }

  /// Whether `name` is there and not null.
  bool has(const char* name) const { return document_.contains(name) && !document_[name].is_null(); }

  /// Whether model_index.json names a class for a component; absent ones are [null, null].
  bool component(const char* name) const {
    return has(name) && document_[name].is_array() && !document_[name].empty() && !document_[name][0].is_null();
  }

  int integer(const char* name, int low, int high, std::optional<int> otherwise = {}) {
    const json* value = find(name, otherwise.has_value());
    if (value == nullptr) return otherwise.value_or(low);
    if (!value->is_number_integer()) return fail(name, "not a whole number"), low;
    const auto number = value->get<std::int64_t>();
    if (number < low || number > high) {
      return fail(name, fmt::format("{} is outside {} to {}", number, low, high)), low;
    }
    return static_cast<int>(number);
  }

  double number(const char* name, double low, double high, std::optional<double> otherwise = {}) {
    const json* value = find(name, otherwise.has_value());
    if (value == nullptr) return otherwise.value_or(low);
    if (!value->is_number()) return fail(name, "not a number"), low;
    const auto number = value->get<double>();
    if (!(number >= low && number <= high)) {
      return fail(name, fmt::format("{} is outside {} to {}", number, low, high)), low;
    }
    return number;
  }

  bool flag(const char* name, std::optional<bool> otherwise = {}) {
    const json* value = find(name, otherwise.has_value());
    if (value == nullptr) return otherwise.value_or(false);
    if (!value->is_boolean()) return fail(name, "neither true nor false"), false;
    return value->get<bool>();
  }

  std::string text(const char* name, std::optional<std::string> otherwise = {}) {
    const json* value = find(name, otherwise.has_value());
    if (value == nullptr) return otherwise.value_or("");
    if (!value->is_string()) return fail(name, "not a text"), "";
    return value->get<std::string>();
  }

  template <class T>
  std::vector<T> list(const char* name, T low, T high) {
    const json* value = find(name, /*optional=*/false);
    std::vector<T> result;
    if (value == nullptr) return result;
    if (!value->is_array() || value->empty() || value->size() > 256) return fail(name, "not a list"), result;
    for (const json& entry : *value) {
      if constexpr (std::is_same_v<T, bool>) {
        if (!entry.is_boolean()) return fail(name, "holds something other than true and false"), result;
        result.push_back(entry.get<bool>());
      } else {
        const bool fits = std::is_integral_v<T> ? entry.is_number_integer() : entry.is_number();
        if (!fits || entry.get<double>() < static_cast<double>(low) ||
            entry.get<double>() > static_cast<double>(high)) {
          return fail(name, fmt::format("holds something other than numbers from {} to {}", low, high)), result;
        }
        result.push_back(entry.get<T>());
      }
    }
    return result;
  }

  /// Fails unless the field, where there is one, has the only value that limber implements.
  template <class T>
  void only(const char* name, const T& value) {
    if (has(name) && document_[name] != json(value)) {
      fail(name, fmt::format("{} is not supported, only {}", document_[name].dump(), json(value).dump()));
    }
  }
  void none(const char* name) {
    if (has(name)) fail(name, fmt::format("{} is not supported", document_[name].dump()));
  }

  void fail(const char* name, const std::string& what) {
    if (!problem_) problem_ = Error{what, where_ + "#/" + name};
  }
  Status finish() const { return problem_ ? Status(*problem_) : Status(Done{}); }

 private:
  ConfigFile(std::string where, json document) : where_(std::move(where)), document_(std::move(document)) {}

  const json* find(const char* name, bool optional) {
    if (has(name)) return &document_[name];
    if (!optional) fail(name, "missing");
    return nullptr;
  }

  std::string where_;
  json document_;
  std::optional<Error> problem_;
};

// --- CogVideoX
// --------------------------------------------------------------------------------------------------------

Result<CogVideoXConfig> read_cogvideox_transformer(const std::filesystem::path& path) {
  LIMBER_TRY(ConfigFile file, ConfigFile::read(path));
  if (file.has("patch_size_t")) return Error{"this is CogVideoX 1.5; " + std::string(kSupported), path.string()};
  CogVideoXConfig config;
  config.channels = file.integer("in_channels", 1, 1024);
  const int out = file.integer("out_channels", 1, 1024);
  if (file.finish().ok() &&
      (config.channels != out || file.flag("use_learned_positional_embeddings", false) || file.has("ofs_embed_dim"))) {
    return Error{"this is an image-to-video CogVideoX; " + std::string(kSupported), path.string()};
  }
  config.layers = file.integer("num_layers", 1, 512);
  config.heads = file.integer("num_attention_heads", 1, 512);
  config.head_dim = file.integer("attention_head_dim", 2, 512);
  config.patch = file.integer("patch_size", 1, 16);
  config.time_width = file.integer("time_embed_dim", 1, 65536);
  config.text_width = file.integer("text_embed_dim", 1, 65536);
  config.text_length = file.integer("max_text_seq_length", 1, 65536);
  config.sample_width = file.integer("sample_width", 1, 4096);
  config.sample_height = file.integer("sample_height", 1, 4096);
  config.sample_frames = file.integer("sample_frames", 1, 4096);
  config.rotary = file.flag("use_rotary_positional_embeddings", false);
  config.spatial_scale = file.number("spatial_interpolation_scale", 1e-3, 1e3, 1.875);
  config.temporal_scale = file.number("temporal_interpolation_scale", 1e-3, 1e3, 1.0);
  config.norm_eps = file.number("norm_eps", 0, 1, 1e-5);
  file.only("activation_fn", "gelu-approximate");
  file.only("timestep_activation_fn", "silu");
  file.only("attention_bias", true);
  file.only("norm_elementwise_affine", true);
  file.only("flip_sin_to_cos", true);
  file.only("freq_shift", 0);
  file.only("patch_bias", true);
  file.only("temporal_compression_ratio", 4);
  if (config.rotary && config.head_dim % 16 != 0) file.fail("attention_head_dim", "not a multiple of 16");
  if (config.width() % 16 != 0) file.fail("num_attention_heads", "the width is not a multiple of 16");
  if (config.sample_width % config.patch != 0 || config.sample_height % config.patch != 0) {
    file.fail("patch_size", "does not divide the sample size");
  }
  LIMBER_CHECK_OK(file.finish());
  return config;
}

Result<CogVideoXVaeConfig> read_cogvideox_vae(const std::filesystem::path& path) {
  LIMBER_TRY(ConfigFile file, ConfigFile::read(path));
  CogVideoXVaeConfig config;
  config.channels = file.list<int>("block_out_channels", 1, 65536);
  config.resnets = file.integer("layers_per_block", 1, 64);
  config.latent_channels = file.integer("latent_channels", 1, 1024);
  config.groups = file.integer("norm_num_groups", 1, 65536);
  config.norm_eps = file.number("norm_eps", 0, 1, 1e-6);
  config.scaling_factor = file.number("scaling_factor", 1e-6, 1e6);
  file.only("temporal_compression_ratio", 4);
  file.only("in_channels", 3);
  file.only("out_channels", 3);
  file.only("act_fn", "silu");
  file.only("use_quant_conv", false);
  file.only("use_post_quant_conv", false);
  file.only("invert_scale_latents", false);
  file.none("latents_mean");
  file.none("latents_std");
  file.none("shift_factor");
  if (config.channels.size() != 4) file.fail("block_out_channels", "not four levels");
  for (const int channels : config.channels) {
    if (channels % config.groups != 0) file.fail("norm_num_groups", "does not divide the channels");
  }
  LIMBER_CHECK_OK(file.finish());
  return config;
}

Result<DdimConfig> read_ddim(const std::filesystem::path& path) {
  LIMBER_TRY(ConfigFile file, ConfigFile::read(path));
  DdimConfig config;
  const std::string name = file.text("_class_name", "CogVideoXDDIMScheduler");
  if (name != "CogVideoXDDIMScheduler" && name != "CogVideoXDPMScheduler") {
    file.fail("_class_name", name + " is not a scheduler of CogVideoX");
  }
  config.train_steps = file.integer("num_train_timesteps", 2, 100000, 1000);
  config.beta_start = file.number("beta_start", 1e-9, 0.999, 0.00085);
  config.beta_end = file.number("beta_end", 1e-9, 0.999, 0.012);
  config.snr_shift = file.number("snr_shift_scale", 1e-3, 1e3, 3.0);
  config.zero_terminal_snr = file.flag("rescale_betas_zero_snr", true);
  config.end_at_one = file.flag("set_alpha_to_one", true);
  file.only("beta_schedule", "scaled_linear");
  file.only("prediction_type", "v_prediction");
  file.only("timestep_spacing", "trailing");
  file.only("clip_sample", false);
  file.none("trained_betas");
  LIMBER_CHECK_OK(file.finish());
  return config;
}

std::string describe(const CogVideoXConfig& config) {
  if (config.layers == 42 && config.width() == 3072 && config.rotary) return "CogVideoX-5B";
  if (config.layers == 30 && config.width() == 1920 && !config.rotary) return "CogVideoX-2B";
  return fmt::format("CogVideoX with {} positions, {} layers, {} wide", config.rotary ? "rotary" : "sincos",
                     config.layers, config.width());
}

Status read_cogvideox(Checkpoint& checkpoint) {
  CogVideoXModel model;
  LIMBER_TRY(model.transformer, read_cogvideox_transformer(checkpoint.path / "transformer" / "config.json"));
  LIMBER_TRY(model.vae, read_cogvideox_vae(checkpoint.path / "vae" / "config.json"));
  LIMBER_TRY(model.schedule, read_ddim(checkpoint.path / "scheduler" / "scheduler_config.json"));
  if (model.transformer.channels != model.vae.latent_channels) {
    return Error{fmt::format("the transformer has {} channels, the autoencoder {}", model.transformer.channels,
                             model.vae.latent_channels),
                 checkpoint.path.string()};
  }
  checkpoint.name = describe(model.transformer);
  checkpoint.model = model;
  return Done{};
}

// --- Wan
// --------------------------------------------------------------------------------------------------------------

Result<WanConfig> read_wan_transformer(const std::filesystem::path& path) {
  LIMBER_TRY(ConfigFile file, ConfigFile::read(path));
  if (file.has("image_dim") || file.has("added_kv_proj_dim") || file.has("pos_embed_seq_len")) {
    return Error{"this is an image-to-video Wan; " + std::string(kSupported), path.string()};
  }
  if (file.has("vace_layers")) return Error{"this is Wan VACE; " + std::string(kSupported), path.string()};
  WanConfig config;
  config.layers = file.integer("num_layers", 1, 512);
  config.heads = file.integer("num_attention_heads", 1, 512);
  config.head_dim = file.integer("attention_head_dim", 6, 512);
  config.channels = file.integer("in_channels", 1, 1024);
  config.ffn_width = file.integer("ffn_dim", 1, 1 << 20);
  config.time_width = file.integer("freq_dim", 2, 65536);
  config.text_width = file.integer("text_dim", 1, 65536);
  config.eps = file.number("eps", 0, 1, 1e-6);
  const std::vector<int> patch = file.list<int>("patch_size", 1, 16);
  if (file.finish().ok() && config.channels != file.integer("out_channels", 1, 1024)) {
    return Error{"this is a Wan that sees an image (more channels in than out); " + std::string(kSupported),
                 path.string()};
  }
  if (patch.size() != 3 || patch[0] != 1 || patch[1] != patch[2]) {
    file.fail("patch_size", "not 1 in time and square in space");
  } else {
    config.patch = patch[1];
  }
  file.only("qk_norm", "rms_norm_across_heads");
  file.only("cross_attn_norm", true);
  if (config.head_dim % 2 != 0 || config.time_width % 2 != 0) file.fail("attention_head_dim", "odd");
  LIMBER_CHECK_OK(file.finish());
  return config;
}

Result<WanVaeConfig> read_wan_vae(const std::filesystem::path& path) {
  LIMBER_TRY(ConfigFile file, ConfigFile::read(path));
  if (file.has("patch_size") || file.has("decoder_base_dim") || file.flag("is_residual", false)) {
    return Error{"this is the autoencoder of Wan 2.2; " + std::string(kSupported), path.string()};
  }
  WanVaeConfig config;
  config.base_channels = file.integer("base_dim", 2, 65536);
  config.multipliers = file.list<int>("dim_mult", 1, 64);
  config.resnets = file.integer("num_res_blocks", 1, 64);
  config.latent_channels = file.integer("z_dim", 1, 1024);
  config.time_levels = file.list<bool>("temperal_downsample", false, true);
  config.mean = file.list<double>("latents_mean", -1e6, 1e6);
  config.deviation = file.list<double>("latents_std", 1e-6, 1e6);
  if (file.has("attn_scales")) file.only("attn_scales", json::array());
  file.only("in_channels", 3);
  file.only("out_channels", 3);
  if (config.multipliers.size() != 4 || config.time_levels != std::vector<bool>{false, true, true}) {
    file.fail("temperal_downsample", "not four levels of which the second and third halve time");
  }
  const auto latent = static_cast<std::size_t>(config.latent_channels);
  if (config.mean.size() != latent || config.deviation.size() != latent)
    file.fail("latents_mean", "not one per channel");
  for (const int multiplier : config.multipliers) {
    if (multiplier * config.base_channels % 2 != 0) file.fail("dim_mult", "odd channels");
  }
  LIMBER_CHECK_OK(file.finish());
  return config;
}

Result<FlowConfig> read_flow(const std::filesystem::path& path, std::vector<std::string>& notes) {
  LIMBER_TRY(ConfigFile file, ConfigFile::read(path));
  FlowConfig config;
  const std::string name = file.text("_class_name");
  config.train_steps = file.integer("num_train_timesteps", 2, 100000, 1000);
  if (name == "FlowMatchEulerDiscreteScheduler") {
    config.shift = file.number("shift", 1e-3, 1e3, 1.0);
    file.only("use_dynamic_shifting", false);
    file.only("stochastic_sampling", false);
    file.only("invert_sigmas", false);
    file.none("shift_terminal");
  } else if (name == "UniPCMultistepScheduler") {
    config.shift = file.number("flow_shift", 1e-3, 1e3, 1.0);
    config.shift_ends = false;
    file.only("use_flow_sigmas", true);
    file.only("prediction_type", "flow_prediction");
    notes.emplace_back("samples take Euler steps through the noise levels of the checkpoint's UniPC scheduler");
  } else {
    file.fail("_class_name", name + " is not a scheduler that limber knows for Wan");
  }
  for (const char* field : {"use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas"}) file.only(field, false);
  LIMBER_CHECK_OK(file.finish());
  return config;
}

std::string describe(const WanConfig& config) {
  if (config.layers == 30 && config.width() == 1536) return "Wan2.1-T2V-1.3B";
  if (config.layers == 40 && config.width() == 5120) return "Wan2.1-T2V-14B";
  return fmt::format("Wan 2.1 with {} layers, {} wide", config.layers, config.width());
}

Status read_wan(ConfigFile& index, Checkpoint& checkpoint) {
  if (index.component("transformer_2") || index.has("boundary_ratio") || index.flag("expand_timesteps", false)) {
    return Error{"this is Wan 2.2; " + std::string(kSupported), checkpoint.path.string()};
  }
  WanModel model;
  LIMBER_TRY(model.transformer, read_wan_transformer(checkpoint.path / "transformer" / "config.json"));
  LIMBER_TRY(model.vae, read_wan_vae(checkpoint.path / "vae" / "config.json"));
  LIMBER_TRY(model.schedule, read_flow(checkpoint.path / "scheduler" / "scheduler_config.json", checkpoint.notes));
  if (model.transformer.channels != model.vae.latent_channels) {
    return Error{fmt::format("the transformer has {} channels, the autoencoder {}", model.transformer.channels,
                             model.vae.latent_channels),
                 checkpoint.path.string()};
  }
  checkpoint.name = describe(model.transformer);
  checkpoint.model = model;
  return Done{};
}

/// What a folder without model_index.json is, as far as one can guess.
Error unrecognised(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto exists = [&](const char* name) { return std::filesystem::exists(folder / name, ignored); };
  std::string hint = "no model_index.json";
  if (!std::filesystem::is_directory(folder, ignored)) {
    hint = exists("") ? "not a folder" : "no such folder";
  } else if (exists("Wan2.1_VAE.pth") || exists("models_t5_umt5-xxl-enc-bf16.pth")) {
    hint = "Wan in its original layout; get the variant whose name ends in -Diffusers";
  } else if (exists("latest") || exists("transformer/1") || exists("1")) {
    hint = "this looks like SAT weights of CogVideoX; get the diffusers variant";
  } else if (exists("config.json")) {
    hint = "this looks like one component; give the folder that holds model_index.json";
  }
  return {hint + "; " + kSupported, folder.string()};
}

}  // namespace

Result<Checkpoint> read_checkpoint(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "model_index.json", ignored)) return unrecognised(folder);
  LIMBER_TRY(ConfigFile index, ConfigFile::read(folder / "model_index.json"));
  const std::string pipeline = index.text("_class_name");
  LIMBER_CHECK_OK(index.finish());

  Checkpoint checkpoint;
  checkpoint.path = folder;
  if (pipeline == "CogVideoXPipeline") {
    LIMBER_CHECK_OK(read_cogvideox(checkpoint));
  } else if (pipeline == "WanPipeline") {
    LIMBER_CHECK_OK(read_wan(index, checkpoint));
  } else {
    return Error{fmt::format("{} is not supported; {}", pipeline, kSupported), (folder / "model_index.json").string()};
  }
  return checkpoint;
}

VideoSize native_size(const Checkpoint& checkpoint) {
  if (const auto* model = std::get_if<CogVideoXModel>(&checkpoint.model)) {
    return {model->transformer.sample_frames, model->transformer.sample_height * 8,
            model->transformer.sample_width * 8};
  }
  // Wan's configuration does not say; 81 frames of 480p is what the small one was trained for.
  return {81, 480, 832};
}

Status check_size(const Checkpoint& checkpoint, const VideoSize& size) {
  const int patch = std::visit([](const auto& model) { return model.transformer.patch; }, checkpoint.model);
  const int multiple = 8 * patch;
  const auto fits = [&](int n) { return n >= multiple && n <= 8192 && n % multiple == 0; };
  if (!fits(size.height) || !fits(size.width)) {
    return Error{fmt::format("height and width must be multiples of {} up to 8192, not {} x {}", multiple, size.height,
                             size.width),
                 checkpoint.name};
  }
  // CogVideoX encodes any number; Wan would leave out the frames that do not fill its last chunk.
  const bool wan = std::holds_alternative<WanModel>(checkpoint.model);
  if (size.frames < 1 || size.frames > 4096 || (wan && size.frames % 4 != 1)) {
    return Error{fmt::format("the number of frames must be {} up to 4096, not {}",
                             wan ? "4 k + 1 (5, 9, 13 ...)" : "1 or more", size.frames),
                 checkpoint.name};
  }
  return Done{};
}

VideoSize latent_size(const Checkpoint&, const VideoSize& size) {
  return {(size.frames - 1) / 4 + 1, size.height / 8, size.width / 8};
}

}  // namespace limber::prior
