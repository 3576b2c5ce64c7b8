// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What is asked of the server for a motion.

export interface Wishes {
  prompt: string;
  video: string | null; // an asset's id
  quality: string;
  seconds: number;
  seed: number;
  candidates: number;
  loop: boolean;
  inPlace: boolean;
  names: string; // whose names a new skeleton's joints get; empty: limber's own, or there is a skeleton
}

/** The clips of a prompt: a line each, where there are several. */
export function clipsOf(prompt: string): string[] {
  return prompt
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** A video says what is done and for how long, and nothing is drawn for it: the server refuses what has no meaning then. */
export function motionOptions(wishes: Wishes): Record<string, unknown> {
  const { prompt, video, quality, seconds, seed, candidates, loop, inPlace, names } = wishes;
  const clips = clipsOf(prompt);
  const drawn = { ...(seconds > 0 ? { seconds } : {}), seed: Math.max(0, Math.round(seed || 0)) };
  // A pack has one motion of each prompt, and knows itself what is to be a loop.
  const pack = !video && clips.length > 1;
  const source = video
    ? { video, ...(clips.length > 0 ? { name: clips.join(", ") } : {}) }
    : pack
      ? { clips, ...drawn }
      : { prompt: clips[0] ?? "", ...drawn, candidates };
  return {
    ...source,
    // Of a video nothing is drawn or refined, of which the best would be more.
    quality: video && quality === "best" ? "standard" : quality,
    ...(loop && !pack ? { loop } : {}),
    ...(inPlace ? { in_place: true } : {}),
    ...(names ? { names } : {}),
  };
}
