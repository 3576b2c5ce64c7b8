// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box3, PerspectiveCamera, Vector3 } from "three";
import { cornersOf, fittingDistance, Path, smooth, viewDirection } from "./framing";

const kTall = new Box3(new Vector3(-0.3, 0, -0.2), new Vector3(0.3, 9, 0.4));
const kLong = new Box3(new Vector3(-1, 0, -8), new Vector3(1, 1, 4));

test("all of a box is in the picture from every side, and the picture is filled", () => {
  const camera = new PerspectiveCamera(30, 0.5, 0.01, 1000);
  const half = Math.tan((15 * Math.PI) / 180);
  for (const box of [kTall, kLong]) {
    for (const view of ["corner", "side", "front", "top"] as const) {
      const towards = viewDirection(view, new Vector3(0, 0, 1));
      const middle = box.getCenter(new Vector3());
      camera.position.copy(middle).addScaledVector(towards, fittingDistance(box, towards, { across: half * 0.5, upright: half }));
      camera.lookAt(middle);
      camera.updateMatrixWorld();
      const seen = cornersOf(box).map((corner) => corner.project(camera));
      const most = Math.max(...seen.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]));
      assert.ok(most <= 1.001 && most > 0.99, `${view}: ${most}`);
      assert.ok(seen.every(({ z }) => z > -1 && z < 1));
    }
  }
});

test("from beside it faces right, and from above its front is up", () => {
  const front = new Vector3(1, 0, 0);
  const across = (view: "side" | "top", seen: Vector3): Vector3 => {
    const camera = new PerspectiveCamera();
    camera.position.copy(viewDirection(view, front).multiplyScalar(10));
    camera.lookAt(0, 0, 0);
    camera.updateMatrixWorld();
    return seen.clone().project(camera);
  };
  assert.ok(across("side", front).x > 0.1);
  assert.ok(across("top", front).y > 0.1);
});

test("a straight way stays as it is when it is smoothed, and a sway goes", () => {
  const straight = Array.from({ length: 31 }, (_, i) => new Vector3(i, 0, 2 * i));
  smooth(straight, 6).forEach((place, i) => assert.ok(place.distanceTo(straight[i]!) < 1e-9));
  const swaying = straight.map((place, i) => place.clone().setX(place.x + (i % 2 === 0 ? 0.5 : -0.5)));
  for (const [i, place] of smooth(swaying, 6).entries())
    if (i > 6 && i < 24) assert.ok(place.distanceTo(straight[i]!) < 0.05);
  assert.equal(smooth([new Vector3(1, 2, 3)], 4)[0]!.distanceTo(new Vector3(1, 2, 3)), 0);
});

test("a path is gone along evenly and ends where it ends", () => {
  const path = new Path([new Vector3(), new Vector3(2, 0, 0), new Vector3(2, 0, 2)], 4);
  assert.deepEqual([path.at(1).x, path.at(3).z, path.at(9).z], [1, 1, 2]);
  assert.equal(new Path([new Vector3(5, 0, 0)], 0).at(3).x, 5);
});
