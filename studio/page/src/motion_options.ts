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
}

/** A video says what is done and for how long, and nothing is drawn for it: the server refuses what has no meaning then. */
export function motionOptions(wishes: Wishes): Record<string, unknown> {
  const { prompt, video, quality, seconds, seed, candidates, loop, inPlace } = wishes;
  const source = video
    ? { video, ...(prompt ? { name: prompt } : {}) }
    : { prompt, ...(seconds > 0 ? { seconds } : {}), seed: Math.max(0, Math.round(seed || 0)), candidates };
  // Of a video nothing is drawn or refined, of which the best would be more.
  return { ...source, quality: video && quality === "best" ? "standard" : quality, ...(loop ? { loop } : {}), ...(inPlace ? { in_place: true } : {}) };
}
