// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "limber/base/files.h"
#include "limber/prior/parity_case.h"
#include "limber/prior/random_prior.h"
#include "limber/prior/torch_priors.h"
#include "limber/prior/video_prior.h"
#include "limber/testing/shared_data.h"

namespace limber::prior {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// The published configurations, as far as limber reads them.
const char* const kCogTransformer =
    R"({"_class_name": "CogVideoXTransformer3DModel", "activation_fn": "gelu-approximate",
  "attention_bias": true, "attention_head_dim": 64, "flip_sin_to_cos": true, "freq_shift": 0, "in_channels": 16,
  "max_text_seq_length": 226, "norm_elementwise_affine": true, "norm_eps": 1e-05, "num_attention_heads": 48,
  "num_layers": 42, "out_channels": 16, "patch_size": 2, "sample_frames": 49, "sample_height": 60, "sample_width": 90,
  "spatial_interpolation_scale": 1.875, "temporal_compression_ratio": 4, "temporal_interpolation_scale": 1.0,
  "text_embed_dim": 4096, "time_embed_dim": 512, "timestep_activation_fn": "silu",
  "use_rotary_positional_embeddings": true})";
const char* const kCogVae = R"({"_class_name": "AutoencoderKLCogVideoX", "act_fn": "silu",
  "block_out_channels": [128, 256, 256, 512], "in_channels": 3, "latent_channels": 16, "layers_per_block": 3,
  "norm_eps": 1e-06, "norm_num_groups": 32, "out_channels": 3, "scaling_factor": 0.7, "temporal_compression_ratio": 4,
  "use_post_quant_conv": false, "use_quant_conv": false})";
const char* const kCogScheduler = R"({"_class_name": "CogVideoXDDIMScheduler", "beta_end": 0.012, "beta_start": 0.00085,
  "beta_schedule": "scaled_linear", "clip_sample": false, "num_train_timesteps": 1000, "prediction_type": "v_prediction",
  "rescale_betas_zero_snr": true, "set_alpha_to_one": true, "snr_shift_scale": 1.0, "timestep_spacing": "trailing"})";
const char* const kWanTransformer = R"({"_class_name": "WanTransformer3DModel", "added_kv_proj_dim": null,
  "attention_head_dim": 128, "cross_attn_norm": true, "eps": 1e-06, "ffn_dim": 8960, "freq_dim": 256, "image_dim": null,
  "in_channels": 16, "num_attention_heads": 12, "num_layers": 30, "out_channels": 16, "patch_size": [1, 2, 2],
  "qk_norm": "rms_norm_across_heads", "rope_max_seq_len": 1024, "text_dim": 4096})";
const char* const kWanVae = R"({"_class_name": "AutoencoderKLWan", "attn_scales": [], "base_dim": 96,
  "dim_mult": [1, 2, 4, 4], "latents_mean": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],
  "latents_std": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "num_res_blocks": 2, "temperal_downsample": [false, true, true],
  "z_dim": 16})";
const char* const kWanScheduler = R"({"_class_name": "UniPCMultistepScheduler", "flow_shift": 3.0,
  "num_train_timesteps": 1000, "prediction_type": "flow_prediction", "use_flow_sigmas": true})";

/// A checkpoint folder of configurations alone, to be changed.
class Folder {
 public:
  explicit Folder(bool wan = false) {
    put("model_index.json", {{"_class_name", wan ? "WanPipeline" : "CogVideoXPipeline"}});
    put("transformer/config.json", json::parse(wan ? kWanTransformer : kCogTransformer));
    put("vae/config.json", json::parse(wan ? kWanVae : kCogVae));
    put("scheduler/scheduler_config.json", json::parse(wan ? kWanScheduler : kCogScheduler));
  }
  /// A copy of a whole checkpoint.
  explicit Folder(const fs::path& source) { fs::copy(source, path(), fs::copy_options::recursive); }

  const fs::path& path() const { return folder_.path(); }
  void put(const std::string& file, const json& document) const {
    fs::create_directories((path() / file).parent_path());
    std::ofstream(path() / file) << document.dump();
  }
  json get(const std::string& file) const { return json::parse(as_text(*read_file(path() / file))); }
  void change(const std::string& file, const std::string& field, const json& value) const {
    json document = get(file);
    document[field] = value;
    put(file, document);
  }

 private:
  testing::TemporaryFolder folder_;
};

std::string error_of(const fs::path& folder) {
  const auto checkpoint = read_checkpoint(folder);
  return checkpoint.ok() ? "" : checkpoint.error().message();
}

::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

/// A tiny complete checkpoint, or none.
fs::path tiny(const std::string& name) {
  const fs::path folder = testing::parity_dir() / "video_models" / name;
  return fs::exists(folder) ? folder : fs::path();
}

TEST(Checkpoint, RefusesModelsThatAreShownPicturesInWords) {
  for (const fs::path& folder : refused_folders()) {
    const auto found = read_checkpoint(folder);
    ASSERT_FALSE(found.ok()) << folder;
    EXPECT_TRUE(contains(found.error().message(), folder.filename().string()));
    EXPECT_TRUE(contains(found.error().message(), "support"));
  }
}

TEST(Checkpoint, RecognisesThePublishedModels) {
  const Folder cog, wan(true);
  const auto five = read_checkpoint(cog.path());
  ASSERT_TRUE(five.ok()) << five.error().message();
  EXPECT_EQ(five->name, "CogVideoX-5B");
  EXPECT_EQ(native_size(*five), (VideoSize{49, 480, 720}));
  EXPECT_EQ(latent_size(*five, native_size(*five)), (VideoSize{13, 60, 90}));
  const auto small = read_checkpoint(wan.path());
  ASSERT_TRUE(small.ok()) << small.error().message();
  EXPECT_EQ(small->name, "Wan2.1-T2V-1.3B");
  EXPECT_EQ(small->notes.size(), 1u);
  EXPECT_FALSE(std::get<WanModel>(small->model).schedule.shift_ends);

  // Newer exports of Wan 2.1 name a second transformer that is not there.
  wan.put("model_index.json",
          {{"_class_name", "WanPipeline"}, {"transformer_2", {nullptr, nullptr}}, {"boundary_ratio", nullptr}});
  EXPECT_TRUE(read_checkpoint(wan.path()).ok());
}

TEST(Checkpoint, CountsThePublishedParameters) {
  const Folder folder;
  const auto large = read_checkpoint(folder.path());
  const CheckpointReport report = inspect_components(*large);
  ASSERT_EQ(report.components.size(), 4u);  // and the text encoder and tokenizer
  EXPECT_EQ(report.components[0].parameters, 5'570'283'072);
  EXPECT_FALSE(report.complete());  // there are no weights
  // 11.1 GB of transformer and 0.4 of autoencoder in 16 bits.
  const MemoryNeed need = memory_needed(*large, native_size(*large), 2);
  EXPECT_NEAR(static_cast<double>(need.weights), 11.57e9, 0.05e9);
  EXPECT_GT(need.score(), need.weights + std::uint64_t{1'000'000'000});
  EXPECT_LT(need.score_sampled(), need.score());
  EXPECT_LT(need.score(), need.score_kept());

  folder.change("transformer/config.json", "num_layers", 30);
  folder.change("transformer/config.json", "num_attention_heads", 30);
  folder.change("transformer/config.json", "use_rotary_positional_embeddings", false);
  const auto small = read_checkpoint(folder.path());
  EXPECT_EQ(small->name, "CogVideoX-2B");
  EXPECT_EQ(inspect_components(*small).components[0].parameters, 1'693'783'872);
}

TEST(Checkpoint, MemoryIsEstimatedAsItWasMeasured) {
  // Peaks in GB on an H200, 49 x 480 x 720, in bfloat16 (docs/prior.md).
  const auto need = [](const char* model) {
    return memory_needed(*published_checkpoint(model), VideoSize{49, 480, 720}, 2);
  };
  const auto expect_near = [](std::uint64_t bytes, double measured) {
    EXPECT_NEAR(static_cast<double>(bytes) * 1e-9, measured, 0.1 * measured);
  };
  expect_near(need("cogvideox-5b").score_kept(), 49.5);
  expect_near(need("cogvideox-5b").score(), 38.5);
  expect_near(need("cogvideox-5b").score_sampled(), 24.7);
  expect_near(need("cogvideox-2b").score_kept(), 41.9);
  expect_near(need("wan-1.3b").score_kept(), 53.5);
  expect_near(need("wan-1.3b").score(), 43.6);
}

TEST(Checkpoint, RefusesRelativesByName) {
  const auto refused = [](bool wan, const std::string& file, const std::string& field, const json& value) {
    const Folder folder(wan);
    folder.change(file, field, value);
    return error_of(folder.path());
  };
  EXPECT_TRUE(
      contains(refused(false, "model_index.json", "_class_name", "CogVideoXImageToVideoPipeline"), "ImageToVideo"));
  EXPECT_TRUE(contains(refused(false, "model_index.json", "_class_name", "LTXPipeline"), "LTXPipeline"));
  EXPECT_TRUE(contains(refused(false, "transformer/config.json", "in_channels", 32), "image-to-video"));
  EXPECT_TRUE(
      contains(refused(false, "transformer/config.json", "use_learned_positional_embeddings", true), "image-to-video"));
  EXPECT_TRUE(contains(refused(false, "transformer/config.json", "patch_size_t", 2), "CogVideoX 1.5"));
  EXPECT_TRUE(
      contains(refused(true, "model_index.json", "transformer_2", {"diffusers", "WanTransformer3DModel"}), "Wan 2.2"));
  EXPECT_TRUE(contains(refused(true, "model_index.json", "expand_timesteps", true), "Wan 2.2"));
  EXPECT_TRUE(contains(refused(true, "transformer/config.json", "image_dim", 1280), "image-to-video"));
  EXPECT_TRUE(contains(refused(true, "transformer/config.json", "in_channels", 36), "image"));
  EXPECT_TRUE(contains(refused(true, "vae/config.json", "is_residual", true), "Wan 2.2"));

  const testing::TemporaryFolder empty;
  EXPECT_TRUE(contains(error_of(empty.path()), "model_index.json"));
  EXPECT_TRUE(contains(error_of(empty.path() / "nothing"), "no such folder"));
  std::ofstream(empty.path() / "config.json") << "{}";
  EXPECT_TRUE(contains(error_of(empty.path()), "one component"));
}

TEST(Checkpoint, NamesTheFieldThatIsWrong) {
  const std::pair<const char*, json> changes[] = {
      {"num_layers", 0},     {"num_layers", "many"},     {"num_layers", 1e30},        {"num_attention_heads", -3},
      {"patch_size", 7},     {"attention_head_dim", 24}, {"max_text_seq_length", {}}, {"activation_fn", "relu"},
      {"norm_eps", "small"}, {"sample_width", nullptr},  {"attention_bias", false},
  };
  for (const auto& [field, value] : changes) {
    const Folder folder;
    folder.change("transformer/config.json", field, value);
    EXPECT_TRUE(contains(error_of(folder.path()), std::string("transformer/config.json#/") + field)) << value.dump();
  }
  const std::pair<const char*, json> of_vae[] = {
      {"block_out_channels", {128, 256}}, {"norm_num_groups", 33}, {"scaling_factor", 0}, {"layers_per_block", 1.5}};
  for (const auto& [field, value] : of_vae) {
    const Folder folder;
    folder.change("vae/config.json", field, value);
    EXPECT_TRUE(contains(error_of(folder.path()), std::string("vae/config.json#/") + field)) << value.dump();
  }
  const Folder broken;
  std::ofstream(broken.path() / "vae" / "config.json") << "{\"act_fn\": ";
  EXPECT_TRUE(contains(error_of(broken.path()), "vae/config.json"));
}

TEST(Checkpoint, TellsWhichSizesItTakes) {
  const Folder folder;
  const auto checkpoint = read_checkpoint(folder.path());
  EXPECT_TRUE(check_size(*checkpoint, {49, 480, 720}).ok());
  EXPECT_TRUE(check_size(*checkpoint, {13, 256, 384}).ok());
  EXPECT_TRUE(contains(check_size(*checkpoint, {49, 481, 720}).error().message(), "multiples of 16"));
  EXPECT_TRUE(check_size(*checkpoint, {16, 480, 720}).ok());
  const Folder other(true);
  EXPECT_TRUE(contains(check_size(*read_checkpoint(other.path()), {48, 480, 720}).error().message(), "4 k + 1"));
  EXPECT_FALSE(check_size(*checkpoint, {-3, 480, 720}).ok());
}

/// What loading a damaged copy of a tiny checkpoint says.
std::string load_error(const Folder& folder) {
  LoadSettings settings;
  settings.device = "cpu";
  use_torch_priors();
  const auto prior = load_prior(folder.path(), settings);
  return prior.ok() ? "" : prior.error().message();
}

TEST(LoadPrior, NamesTheTensorOrFileThatIsDamaged) {
  const fs::path source = tiny("cogvideox-5b-tiny");
  if (source.empty()) GTEST_SKIP() << "no parity data";
  EXPECT_EQ(load_error(Folder(source)), "");
  const std::string shard = "diffusion_pytorch_model-00003-of-00006.safetensors";
  {
    const Folder folder(source);
    fs::resize_file(folder.path() / "transformer" / shard, fs::file_size(folder.path() / "transformer" / shard) / 2);
    EXPECT_TRUE(contains(load_error(folder), shard));
  }
  {
    const Folder folder(source);
    fs::remove(folder.path() / "transformer" / shard);
    EXPECT_TRUE(contains(load_error(folder), shard));
  }
  {
    // Rename one tensor in the header, keeping its length.
    const Folder folder(source);
    const fs::path file = folder.path() / "vae" / "diffusion_pytorch_model.safetensors";
    Bytes bytes = *read_file(file);
    std::string text(as_text(bytes));
    const std::string name = "encoder.conv_in.conv.bias", other = "encoder.conv_in.conv.beas";
    text.replace(text.find(name), name.size(), other);
    ASSERT_TRUE(write_file(file, text).ok());
    const std::string error = load_error(folder);
    EXPECT_TRUE(contains(error, name));
    EXPECT_TRUE(contains(error, other));
    const auto checkpoint = read_checkpoint(folder.path());
    EXPECT_EQ(inspect_components(*checkpoint).components[1].problems.size(), 2u);
  }
  {
    const Folder folder(source);
    folder.change("transformer/config.json", "num_layers", 3);
    EXPECT_TRUE(contains(load_error(folder), "transformer_blocks.2"));
    folder.change("transformer/config.json", "num_layers", 1);
    EXPECT_TRUE(contains(load_error(folder), "unexpected"));
    folder.change("transformer/config.json", "num_layers", 2);
    folder.change("transformer/config.json", "time_embed_dim", 64);
    EXPECT_TRUE(contains(load_error(folder), "shape"));
  }
  {
    const Folder folder(source);
    LoadSettings settings;
    settings.device = "cpu";
    settings.memory_limit = 1000;
    EXPECT_TRUE(contains(load_prior(folder.path(), settings).error().message(), "GB"));
    settings.memory_limit.reset();
    settings.dtype = "bfloat16";
    EXPECT_TRUE(contains(load_prior(folder.path(), settings).error().message(), "GPU"));
    settings.dtype = "int8";
    EXPECT_TRUE(contains(load_prior(folder.path(), settings).error().message(), "int8"));
    settings.device = "tpu";
    EXPECT_TRUE(contains(load_prior(folder.path(), settings).error().message(), "tpu"));
  }
}

TEST(LoadPrior, SurvivesEveryChangedNumber) {
  for (const char* name : {"cogvideox-2b-tiny", "wan-t2v-tiny"}) {
    const fs::path source = tiny(name);
    if (source.empty()) GTEST_SKIP() << "no parity data";
    const Folder folder(source);
    for (const char* file : {"transformer/config.json", "vae/config.json", "scheduler/scheduler_config.json"}) {
      const json original = folder.get(file);
      for (const auto& [field, value] : original.items()) {
        for (const json& other : {json(0), json(-1), json(7), json(1e300), json(2147483647), json("x"), json(nullptr),
                                  json::array(), json::object(), json({1, 2, 3, 4, 5}), json(true)}) {
          folder.change(file, field, other);
          load_error(folder);  // must return
        }
        folder.put(file, original);
      }
    }
    EXPECT_EQ(load_error(folder), "");
  }
}

}  // namespace
}  // namespace limber::prior
