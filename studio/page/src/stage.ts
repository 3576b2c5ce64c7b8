// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What a body stands in: light, a ground that fades out, and a mark for its front.
import {
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  type Texture,
  type Vector3,
} from "three";
import { kColors } from "./overlays";

const kBackground = new Color("#14171c");
const kFloor = new Color("#2b323d");
const kGrid = new Color("#4a5361");

export class Stage {
  readonly scene = new Scene();
  private readonly sun = new DirectionalLight("#fff1de", 1.9);
  private readonly ground: Mesh;
  private readonly grid: LineSegments;
  private readonly floor: Mesh;
  private readonly front: Mesh;

  constructor(environment: Texture) {
    this.scene.background = kBackground;
    this.scene.environment = environment;
    this.scene.environmentIntensity = 0.3;
    this.scene.add(new HemisphereLight("#dfe8f5", "#3a342c", 0.25));
    const rim = new DirectionalLight("#a9c4ff", 0.9);
    rim.position.set(-3, 2.5, -4);
    this.scene.add(rim, this.sun, this.sun.target);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.02;
    this.ground = new Mesh(new PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new ShadowMaterial({ opacity: 0.42 }));
    this.ground.receiveShadow = true;
    const fading = { vertexColors: true, transparent: true, depthWrite: false, toneMapped: false };
    this.floor = new Mesh(floorGeometry(), new MeshBasicMaterial(fading));
    this.grid = new LineSegments(gridGeometry(14), new LineBasicMaterial(fading));
    this.front = new Mesh(
      chevronGeometry(),
      new MeshBasicMaterial({ color: kColors.accent, transparent: true, opacity: 0.85, toneMapped: false }),
    );
    this.floor.renderOrder = -3;
    this.grid.renderOrder = -2;
    this.scene.add(this.floor, this.grid, this.ground, this.front);
  }

  /** For a body of this size: all that stands here grows with it. */
  fit(size: number): void {
    const reach = size * 12;
    this.ground.scale.setScalar(reach * 2);
    this.floor.scale.setScalar(size * 4.5);
    this.grid.scale.setScalar(size * 0.3);
    this.floor.position.y = -size * 0.002;
    this.grid.position.y = -size * 0.001;
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
    this.front.position
      .copy(forward)
      .setY(0)
      .normalize()
      .multiplyScalar(reach + size * 0.12)
      .setY(size * 0.002);
    this.front.rotation.y = Math.atan2(forward.x, forward.z);
    this.front.scale.setScalar(size);
  }
}

function colored(points: number[], color: Color, alpha: (x: number, z: number) => number): BufferGeometry {
  const colors: number[] = [];
  for (let i = 0; i < points.length; i += 3) colors.push(color.r, color.g, color.b, alpha(points[i]!, points[i + 2]!));
  return new BufferGeometry()
    .setAttribute("position", new Float32BufferAttribute(points, 3))
    .setAttribute("color", new Float32BufferAttribute(colors, 4));
}

/** Lines a unit apart that fade out to all sides: in short pieces, since colours go straight from end to end. */
function gridGeometry(half: number): BufferGeometry {
  const points: number[] = [];
  for (let i = -half; i <= half; ++i) for (let k = -half; k < half; ++k) points.push(i, 0, k, i, 0, k + 1, k, 0, i, k + 1, 0, i);
  return colored(points, kGrid, (x, z) => 0.55 * Math.max(0, 1 - Math.hypot(x, z) / half) ** 1.5);
}

/** A disc of light that fades into the dark. */
function floorGeometry(): BufferGeometry {
  const rings = 12;
  const points: number[] = [];
  const slices = 64;
  const at = (slice: number, ring: number): number[] => {
    const angle = (slice / slices) * 2 * Math.PI;
    return [Math.sin(angle) * (ring / rings), 0, Math.cos(angle) * (ring / rings)];
  };
  for (let r = 0; r < rings; ++r) {
    for (let i = 0; i < slices; ++i)
      points.push(...at(i, r), ...at(i, r + 1), ...at(i + 1, r + 1), ...at(i, r), ...at(i + 1, r + 1), ...at(i + 1, r));
  }
  return colored(points, kFloor, (x, z) => 0.75 * Math.max(0, 1 - Math.hypot(x, z)) ** 2);
}

/** An arrow head that lies on the ground and points along +z. */
function chevronGeometry(): BufferGeometry {
  const points = [-0.07, 0, -0.03, 0, 0, 0.06, 0, 0, 0.015, 0, 0, 0.015, 0, 0, 0.06, 0.07, 0, -0.03];
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}
