// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// When the ends of limbs stand on the ground, told by height and speed: for clips that come without the server's word.
import type { Span } from "./timeline_math";

export interface Contact {
  joint: string;
  spans: Span[];
}

export interface TrackedJoint {
  name: string;
  heights: number[];
  speeds: number[];
}

/** Heights above the ground and speeds over it, in units of the body's size, at equal steps of `dt`. */
export function contactSpans(joints: readonly TrackedJoint[], dt: number): Contact[] {
  const low = 0.035; // above the joint's own lowest point
  const slow = 0.35; // sizes a second
  const lowestOfAll = Math.min(...joints.flatMap((joint) => joint.heights));
  const contacts: Contact[] = [];
  for (const { name, heights, speeds } of joints) {
    const lowest = Math.min(...heights);
    // A hand that never comes down touches nothing.
    if (lowest > lowestOfAll + 0.12) continue;
    const spans: Span[] = [];
    heights.forEach((height, i) => {
      if (height > lowest + low || speeds[i]! > slow) return;
      const last = spans.at(-1);
      if (last && i * dt - last.to <= dt * 1.5) last.to = i * dt;
      else spans.push({ from: i * dt, to: i * dt });
    });
    const long = spans.filter((span) => span.to - span.from >= dt);
    if (long.length > 0) contacts.push({ joint: name, spans: long });
  }
  return contacts;
}

export function inContact(contact: Contact, time: number): boolean {
  return contact.spans.some((span) => time >= span.from - 1e-6 && time <= span.to + 1e-6);
}
