// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What somebody works on, as one immutable value: every change is a new one, which makes undo a matter of keeping the old.
import type { Key } from "./keys";
import type { Span } from "./timeline_math";

export interface Pin {
  joint: string;
  position: number[];
}

export interface Document {
  asset: string | null; // files never change on the server: another asset is a step like any other
  clip: string | null;
  keys: Readonly<Record<string, readonly Key[]>>; // by clip
  trim: Readonly<Record<string, Span>>; // by clip
  pins: readonly Pin[];
  hidden: readonly string[]; // joints that are not shown and not picked
  loop: boolean;
  inPlace: boolean;
  up: string | null; // what somebody said against the report
  forward: string | null;
}

export const kEmptyDocument: Document = {
  asset: null,
  clip: null,
  keys: {},
  trim: {},
  pins: [],
  hidden: [],
  loop: true,
  inPlace: false,
  up: null,
  forward: null,
};

export const kRest = "rest"; // the name under which keys upon no clip are kept

export function keysOf(document: Document): readonly Key[] {
  return document.keys[document.clip ?? kRest] ?? [];
}

export function withKeys(document: Document, keys: readonly Key[]): Document {
  return { ...document, keys: { ...document.keys, [document.clip ?? kRest]: keys } };
}

export function trimOf(document: Document, duration: number): Span {
  const span = document.trim[document.clip ?? kRest];
  return span ? { from: Math.min(span.from, duration), to: Math.min(span.to, duration) } : { from: 0, to: duration };
}

export function withTrim(document: Document, span: Span | null): Document {
  const trim = { ...document.trim };
  if (span) trim[document.clip ?? kRest] = span;
  else delete trim[document.clip ?? kRest];
  return { ...document, trim };
}

/** Another file: what belonged to the joints and clips of the old one goes, unless it is the same body with the same joints. */
export function openAsset(document: Document, asset: string | null, sameBody: boolean): Document {
  const kept = sameBody
    ? { hidden: document.hidden, up: document.up, forward: document.forward }
    : { hidden: [], up: null, forward: null };
  return { ...document, asset, clip: null, keys: {}, trim: {}, pins: [], ...kept };
}

export function togglePins(document: Document, joints: readonly Pin[]): Document {
  const names = new Set(joints.map((pin) => pin.joint));
  const others = document.pins.filter((pin) => !names.has(pin.joint));
  const allPinned = joints.every((pin) => document.pins.some((p) => p.joint === pin.joint));
  return { ...document, pins: allPinned ? others : [...others, ...joints] };
}

const kAxes = ["+x", "-x", "+y", "-y", "+z", "-z"] as const;
export type Axis = (typeof kAxes)[number];

export function axisVector(axis: string): [number, number, number] {
  const sign = axis.startsWith("-") ? -1 : 1;
  const at = "xyz".indexOf(axis.slice(-1));
  return [0, 1, 2].map((k) => (k === at ? sign : 0)) as [number, number, number];
}

export function nearestAxis(v: readonly number[]): Axis {
  let best: Axis = "+z";
  let most = -Infinity;
  for (const axis of kAxes) {
    const dot = axisVector(axis).reduce((sum, x, k) => sum + x * (v[k] ?? 0), 0);
    if (dot > most + 1e-9) {
      most = dot;
      best = axis;
    }
  }
  return best;
}

/** The front a quarter turn further round the up axis: what the button does. */
export function quarterTurn(forward: Axis, up: Axis): Axis {
  const f = axisVector(forward);
  const u = axisVector(up);
  const turned = [u[1] * f[2] - u[2] * f[1], u[2] * f[0] - u[0] * f[2], u[0] * f[1] - u[1] * f[0]];
  // A front along the up axis has no quarter turn: any level one is better.
  return turned.every((x) => x === 0) ? nearestAxis([u[1], u[2], u[0]]) : nearestAxis(turned);
}
