// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Joints are picked by their distance on the screen: they have no size, and a ray misses them.

export interface ScreenPoint {
  index: number;
  x: number;
  y: number;
  depth: number;
}

/** The nearest point within `radius` pixels; of points that are about equally near, the one in front. */
export function pickNearest(points: readonly ScreenPoint[], x: number, y: number, radius: number): number | null {
  const near = points
    .map((point) => ({ point, distance: Math.hypot(point.x - x, point.y - y) }))
    .filter(({ point, distance }) => distance <= radius && point.depth > -1 && point.depth < 1);
  if (near.length === 0) return null;
  const least = Math.min(...near.map(({ distance }) => distance));
  const slack = 4;
  const ties = near.filter(({ distance }) => distance <= least + slack);
  ties.sort((a, b) => a.point.depth - b.point.depth || a.distance - b.distance);
  return ties[0]!.point.index;
}
