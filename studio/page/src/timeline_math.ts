// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Times, frames and pixels of the timeline. Times are seconds of the clip.

export interface Span {
  from: number;
  to: number;
}

export function clamp(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high);
}

/** Where the playhead is after `dt` seconds within a span, and whether it goes on. */
export function advance(time: number, dt: number, speed: number, span: Span, loop: boolean): { time: number; playing: boolean } {
  const length = span.to - span.from;
  if (length <= 0) return { time: span.from, playing: false };
  const next = time + dt * speed;
  if (next >= span.from && next < span.to) return { time: next, playing: true };
  if (!loop) return { time: clamp(next, span.from, span.to), playing: false };
  const offset = (((next - span.from) % length) + length) % length;
  return { time: span.from + offset, playing: true };
}

/** The next frame in a direction: from between two frames to the nearer one that way, from a frame to its neighbour. */
export function stepFrame(time: number, direction: 1 | -1, fps: number, duration: number): number {
  const frame = time * fps;
  const tolerance = 1e-4;
  const next = direction > 0 ? Math.floor(frame + tolerance) + 1 : Math.ceil(frame - tolerance) - 1;
  return clamp(next / fps, 0, duration);
}

/** A tenth of a frame further. */
export function stepSubFrame(time: number, direction: 1 | -1, fps: number, duration: number): number {
  return clamp(Math.round(time * fps * 10 + direction) / (fps * 10), 0, duration);
}

/** The next key in a direction, or null. */
export function neighbourKey(times: readonly number[], time: number, direction: 1 | -1): number | null {
  const tolerance = 1e-4;
  const candidates = times.filter((t) => (direction > 0 ? t > time + tolerance : t < time - tolerance));
  if (candidates.length === 0) return null;
  return direction > 0 ? Math.min(...candidates) : Math.max(...candidates);
}

export function timeAt(x: number, width: number, duration: number): number {
  return width <= 0 ? 0 : clamp(x / width, 0, 1) * duration;
}

export function xAt(time: number, width: number, duration: number): number {
  return duration <= 0 ? 0 : clamp(time / duration, 0, 1) * width;
}

/** A step between labels of the ruler that leaves at least `minPixels` between two: 1, 2 or 5 times a power of ten. */
export function rulerStep(duration: number, width: number, minPixels: number): number {
  const least = (duration * minPixels) / Math.max(width, 1);
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((m) => power * m >= least * (1 - 1e-9)) ?? 10);
}

/** Frames a second by which keys of a clip stand: the most usual gap, between 1 and 240. */
export function guessFps(times: ArrayLike<number>): number {
  const gaps: number[] = [];
  for (let i = 1; i < Math.min(times.length, 200); ++i) {
    const gap = times[i]! - times[i - 1]!;
    if (gap > 1e-4) gaps.push(gap);
  }
  if (gaps.length === 0) return 30;
  gaps.sort((a, b) => a - b);
  return clamp(Math.round(1 / gaps[gaps.length >> 1]!), 1, 240);
}

export function formatTime(time: number, fps: number): string {
  const frame = time * fps;
  const whole = Math.abs(frame - Math.round(frame)) < 5e-3;
  return `${time.toFixed(2)} s · ${whole ? Math.round(frame) : frame.toFixed(1)} f`;
}
