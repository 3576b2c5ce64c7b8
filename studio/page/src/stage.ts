// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What a body stands in: light, a ground that fades out, and a mark for its front.
import {
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  Fog,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  Vector3,
  type Texture,
} from "three";
import { kColors } from "./overlays";

const kBackground = new Color("#14171c");

export class Stage {
  readonly scene = new Scene();
  private readonly sun = new DirectionalLight("#fff3e2", 2.1);
  private readonly ground: Mesh;
  private readonly grid: LineSegments;
  private readonly front: Line;

  constructor(environment: Texture) {
    this.scene.background = kBackground;
    this.scene.environment = environment;
    this.scene.environmentIntensity = 0.55;
    this.scene.add(new HemisphereLight("#dfe8f5", "#3a342c", 0.5));
    const rim = new DirectionalLight("#a9c4ff", 1.1);
    rim.position.set(-3, 2.5, -4);
    this.scene.add(rim, this.sun, this.sun.target);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.02;
    this.ground = new Mesh(new PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new ShadowMaterial({ opacity: 0.42 }));
    this.ground.receiveShadow = true;
    this.grid = new LineSegments(gridGeometry(24), new LineBasicMaterial({ color: "#3a424f", transparent: true, opacity: 0.6 }));
    this.front = new Line(
      new BufferGeometry().setFromPoints([new Vector3(-0.06, 0, 0), new Vector3(0, 0, 0.06), new Vector3(0.06, 0, 0)]),
      new LineBasicMaterial({ color: kColors.accent, transparent: true, opacity: 0.9 }),
    );
    this.scene.add(this.ground, this.grid, this.front);
  }

  /** For a body of this size: all that stands here grows with it. */
  fit(size: number): void {
    const reach = size * 12;
    this.ground.scale.setScalar(reach * 2);
    this.grid.scale.setScalar(size * 0.5);
    this.grid.position.y = -size * 0.001;
    this.scene.fog = new Fog(kBackground, size * 3, size * 9);
    this.sun.position.set(size * 1.2, size * 2.6, size * 1.6);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -size * 1.4;
    shadow.right = shadow.top = size * 1.4;
    shadow.near = size * 0.1;
    shadow.far = size * 8;
    shadow.updateProjectionMatrix();
  }

  /** The light goes along with what it lights. */
  follow(x: number, z: number, size: number): void {
    this.sun.target.position.set(x, size * 0.4, z);
    this.sun.position.set(x + size * 1.2, size * 2.6, z + size * 1.6);
  }

  /** A chevron on the ground before the body. */
  markFront(forward: Vector3 | null, size: number, reach: number): void {
    this.front.visible = forward !== null;
    if (!forward) return;
    this.front.position.copy(forward).setY(0).normalize().multiplyScalar(reach + size * 0.12).setY(size * 0.002);
    this.front.rotation.y = Math.atan2(forward.x, forward.z);
    this.front.scale.setScalar(size);
  }
}

function gridGeometry(half: number): BufferGeometry {
  const points: number[] = [];
  for (let i = -half; i <= half; ++i) points.push(i, 0, -half, i, 0, half, -half, 0, i, half, 0, i);
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}
