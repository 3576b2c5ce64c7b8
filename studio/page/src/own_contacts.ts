// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// When a body touches the ground, as the page itself finds it until the server tells.
import { Vector3 } from "three";
import type { Body } from "./body";
import type { ClipSampler } from "./clip_sampler";
import { contactSpans, type Contact } from "./contacts";

export function ownContacts(body: Body, clip: ClipSampler, up: Vector3): Contact[] {
  const children = new Set(body.details.map((joint) => joint.parent));
  const leaves = body.details.map((_, j) => j).filter((j) => !children.has(j));
  const steps = Math.min(Math.max(Math.round(clip.duration * 30), 2), 900);
  const dt = clip.duration / steps;
  const places = leaves.map(() => [] as Vector3[]);
  for (let i = 0; i <= steps; ++i) {
    body.applyClip(clip, i * dt);
    body.holder.updateMatrixWorld(true);
    leaves.forEach((j, k) => places[k]!.push(body.holder.worldToLocal(body.jointPosition(j))));
  }
  return contactSpans(
    leaves.map((j, k) => ({
      name: body.details[j]!.name,
      heights: places[k]!.map((p) => p.dot(up) / body.size),
      speeds: places[k]!.map((p, i) => p.distanceTo(places[k]![Math.max(i - 1, 0)]!) / dt / body.size),
    })),
    dt,
  );
}
