// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What a body stands in: light, a floor of squares on which feet that slide are seen to, and a mark for its front.
import {
  BufferGeometry,
  Color,
  DirectionalLight,
  Float32BufferAttribute,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
  type Texture,
  type Vector3,
} from "three";
import { kColors } from "./overlays";

/** What a stage looks like in a dark or a light room. */
export interface Room {
  background: string;
  floor: string;
  square: string; // of every other square
  line: string;
  shadow: number; // how dark it is
}

export const kDarkRoom: Room = { background: "#1a1e25", floor: "#6f7a88", square: "#636d7b", line: "#929dab", shadow: 0.6 };
export const kLightRoom: Room = { background: "#e9ecf0", floor: "#c9cfd7", square: "#bec5ce", line: "#a3acb8", shadow: 0.5 };

const kSquare = 0.15; // of the body's size

export class Stage {
  readonly scene = new Scene();
  private readonly sun = new DirectionalLight("#fff1de", 1.9);
  private readonly ground: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly floor: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly front: Mesh;

  constructor(environment: Texture, room: Room) {
    this.scene.environment = environment;
    this.scene.environmentIntensity = 0.3;
    this.scene.add(new HemisphereLight("#dfe8f5", "#3a342c", 0.25));
    const rim = new DirectionalLight("#a9c4ff", 0.9);
    rim.position.set(-3, 2.5, -4);
    this.scene.add(rim, this.sun, this.sun.target);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 3;
    this.sun.shadow.bias = -0.0005;
    const plane = (): PlaneGeometry => new PlaneGeometry(1, 1).rotateX(-Math.PI / 2);
    this.ground = new Mesh(plane(), new ShadowMaterial());
    this.ground.receiveShadow = true;
    this.floor = new Mesh(plane(), floorMaterial());
    this.front = new Mesh(
      chevronGeometry(),
      new MeshBasicMaterial({ color: kColors.accent, transparent: true, opacity: 0.85, toneMapped: false }),
    );
    this.floor.renderOrder = -3;
    this.scene.add(this.floor, this.ground, this.front);
    this.furnish(room);
  }

  furnish(room: Room): void {
    this.scene.background = new Color(room.background);
    const { uniforms } = this.floor.material;
    for (const name of ["floor", "square", "line"] as const) (uniforms[name]!.value as Color).set(room[name]);
    this.ground.material.opacity = room.shadow;
  }

  /** For a body of this size: all that stands here grows with it. */
  fit(size: number): void {
    this.ground.scale.setScalar(size * 24);
    this.floor.scale.setScalar(size * 24);
    this.floor.position.y = -size * 0.002;
    const { uniforms } = this.floor.material;
    uniforms["cell"]!.value = size * kSquare;
    uniforms["reach"]!.value = size * 5;
    const { shadow } = this.sun;
    shadow.normalBias = size * 0.006;
    shadow.camera.left = shadow.camera.bottom = -size * 1.4;
    shadow.camera.right = shadow.camera.top = size * 1.4;
    shadow.camera.near = size * 0.1;
    shadow.camera.far = size * 8;
    shadow.camera.updateProjectionMatrix();
    this.follow(0, 0, size);
  }

  /** Light and floor go along with what stands here; the squares of the floor do not. */
  follow(x: number, z: number, size: number): void {
    this.sun.target.position.set(x, size * 0.4, z);
    this.sun.position.set(x + size * 0.8, size * 3, z + size);
    this.ground.position.set(x, 0, z);
    this.floor.position.setX(x).setZ(z);
    (this.floor.material.uniforms["middle"]!.value as Vector2).set(x, z);
  }

  /** A chevron on the ground before the body, which has come to `place`. */
  markFront(forward: Vector3 | null, place: Vector3, size: number, reach: number): void {
    this.front.visible = forward !== null;
    if (!forward) return;
    this.front.position.copy(forward).setY(0).normalize().multiplyScalar(reach + size * 0.12);
    this.front.position.add(place).setY(size * 0.002);
    this.front.rotation.y = Math.atan2(forward.x, forward.z);
    this.front.scale.setScalar(size);
  }
}

/** Squares with lines between them that fade out to all sides; far away, where they are finer than pixels, their mean. */
function floorMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    toneMapped: false,
    uniforms: {
      floor: { value: new Color() },
      square: { value: new Color() },
      line: { value: new Color() },
      middle: { value: new Vector2() },
      cell: { value: 1 },
      reach: { value: 1 },
    },
    vertexShader: `
      varying vec2 place;
      void main() {
        vec4 world = modelMatrix * vec4(position, 1.0);
        place = world.xz;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: `
      uniform vec3 floor, square, line;
      uniform vec2 middle;
      uniform float cell, reach;
      varying vec2 place;
      void main() {
        vec2 p = place / cell;
        vec2 w = fwidth(p) + 1e-4;
        vec2 waves = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
        vec3 color = mix(floor, square, 0.5 - 0.5 * waves.x * waves.y);
        vec2 lines = 1.0 - min(abs(fract(p / 4.0 - 0.5) - 0.5) * 4.0 / w, 1.0);
        color = mix(color, line, max(lines.x, lines.y) * (1.0 - smoothstep(0.3, 1.5, max(w.x, w.y))));
        float far = distance(place, middle) / reach;
        gl_FragColor = vec4(color, pow(max(1.0 - far, 0.0), 1.4));
        #include <colorspace_fragment>
      }`,
  });
}

/** An arrow head that lies on the ground and points along +z. */
function chevronGeometry(): BufferGeometry {
  const points = [-0.07, 0, -0.03, 0, 0, 0.06, 0, 0, 0.015, 0, 0, 0.015, 0, 0, 0.06, 0.07, 0, -0.03];
  return new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
}
