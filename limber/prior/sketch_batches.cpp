// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
#include "limber/prior/sketch_batches.h"

#include <algorithm>

#include "limber/prior/prompt_words.h"

namespace limber::prior {

Result<nn::TensorRun> draw_clips(const ClipSource& source, const SketchModel& model, std::uint64_t first,
                                 std::int64_t count) {
  const std::int64_t side = model.size;
  const Tensor videos = at::empty({count, model.views, model.frames, 3, side, side}, at::kByte);
  const Tensor rests = at::empty({count, model.views, 3, side, side}, at::kByte);
  const Tensor groups = at::empty({count, kClipCaptions, kPromptWords, kWordGroups}, at::kShort);
  const std::int64_t video = videos[0].numel(), rest = rests[0].numel(), words = groups[0].numel();
  LIMBER_CHECK_OK(nn::draw_examples(count, [&](std::int64_t i) -> Status {
    const std::uint64_t number = first + static_cast<std::uint64_t>(i);
    LIMBER_TRY(const SketchClip clip, source(number));
    if (static_cast<std::int64_t>(clip.video.size()) != video || static_cast<std::int64_t>(clip.rest.size()) != rest ||
        clip.captions.size() != static_cast<std::size_t>(kClipCaptions)) {
      return Error{"a clip of another size", std::to_string(number)};
    }
    std::copy(clip.video.begin(), clip.video.end(), videos.data_ptr<std::uint8_t>() + i * video);
    std::copy(clip.rest.begin(), clip.rest.end(), rests.data_ptr<std::uint8_t>() + i * rest);
    std::int16_t* target = groups.data_ptr<std::int16_t>() + i * words;
    for (const std::string& caption : clip.captions) {
      for (const std::int32_t group : prompt_groups(caption, model.buckets)) {
        *target++ = static_cast<std::int16_t>(group);
      }
    }
    return Done{};
  }));
  return nn::TensorRun{videos, rests, groups};
}

Clips with_captions(const nn::TensorRun& run) {
  const Tensor each = at::arange(run[0].size(0), run[0].options().dtype(at::kLong));
  const Tensor caption = at::randint(kClipCaptions, {each.size(0)}, each.options());
  return {run[0], run[1], run[2].index({each, caption})};
}

Tensor unit(const Tensor& bytes) { return bytes.to(at::kFloat).mul_(1 / 127.5).sub_(1); }

Tensor pixel_weights(const Tensor& video, double body_weight) {
  const double grey = video.is_floating_point() ? kGreyRange / 127.5 : kGreyRange;
  const Tensor colored = (video.amax(3, /*keepdim=*/true) - video.amin(3, /*keepdim=*/true)) > grey;
  return 1 + (body_weight - 1) * colored.to(at::kFloat);
}

Tensor per_frame(const Tensor& values) { return values.view({values.size(0), 1, -1, 1, 1, 1}); }

Tensor open_tubes(const Tensor& known, const SketchModel& model) {
  return 1 - known.view({known.size(0), model.tubes(), model.patch_frames}).amin(2);
}

Tensor draw_known(std::int64_t count, const SketchModel& model, const KnownShares& shares,
                  const at::TensorOptions& options) {
  const std::int64_t tubes = model.tubes(), most = std::clamp<std::int64_t>(tubes - 2, 1, 3);
  const Tensor kind = at::rand({count, 1}, options), tube = at::arange(tubes, options).unsqueeze(0);
  const Tensor first = (at::rand({count, 1}, options) * static_cast<double>(most)).floor() + 1;
  Tensor whole = at::logical_and(kind < shares.continued, tube < first);
  if (tubes > 2) {
    whole =
        at::logical_or(whole, at::logical_and(kind < std::min(shares.between, shares.continued), tube == tubes - 1));
  }
  // Two or three frames, of clips whose beginning is open; now and then of others.
  constexpr double kFrames = 2.5, kBeside = 0.05;
  const Tensor open = at::logical_and(kind >= shares.continued, kind < shares.continued + shares.keyframes);
  const Tensor marked = at::logical_or(open, at::rand({count, 1}, options) < kBeside);
  const Tensor single = at::logical_and(marked, at::rand({count, model.frames}, options) < kFrames / model.frames);
  return at::logical_or(whole.repeat_interleave(model.patch_frames, 1), single).to(at::kFloat);
}

Tensor first_third(const SketchModel& model) {
  const std::int64_t tubes = std::max(1, model.tubes() / 3);
  return (at::arange(model.frames) < tubes * model.patch_frames).to(at::kFloat);
}

}  // namespace limber::prior
