// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What is drawn upon a body: its skeleton, colours for weights, parts and confidence, and discs where it touches the ground.
import {
  BufferAttribute,
  CircleGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  OctahedronGeometry,
  Quaternion,
  SkinnedMesh,
  Vector3,
  type BufferGeometry,
} from "three";
import type { Body } from "./body";
import { inContact, type Contact } from "./contacts";

export type Paint = "weights" | "parts" | "confidence";

export const kColors = {
  accent: new Color("#f0a95b"),
  bone: new Color("#dfe5ee"),
  dim: new Color("#59616e"),
  pinned: new Color("#7fb4ff"),
  bad: new Color("#e5604d"),
  good: new Color("#54b98a"),
};

/** From no confidence to full: red over amber to green. */
export function confidenceColor(confidence: number, target = new Color()): Color {
  const x = Math.min(Math.max(confidence, 0), 1);
  return x < 0.5
    ? target.lerpColors(kColors.bad, kColors.accent, x * 2)
    : target.lerpColors(kColors.accent, kColors.good, x * 2 - 1);
}

/** From no weight to full: slate over violet to the accent. */
function weightColor(weight: number, target: Color): Color {
  const violet = new Color("#7a4fa3");
  return weight < 0.5
    ? target.lerpColors(new Color("#5d6878"), violet, weight * 2)
    : target.lerpColors(violet, kColors.accent, weight * 2 - 1);
}

/** Colours that are far apart for neighbouring labels: the golden angle round the wheel. */
function partColor(label: number, target: Color): Color {
  return target.setHSL((label * 0.381966) % 1, 0.42, 0.46 + 0.08 * ((label * 7) % 3));
}

export interface SkeletonLook {
  selected: ReadonlySet<number>;
  pinned: ReadonlySet<number>;
  hidden: ReadonlySet<number>;
  hover: number | null;
  confidence: readonly (number | null)[] | null; // of each joint, where that is shown
}

/** Bones as slim spindles and joints as small gems, always in front. */
export class SkeletonOverlay {
  readonly group = new Group();
  private readonly bones: InstancedMesh;
  private readonly gems: InstancedMesh;
  private readonly halos: InstancedMesh[]; // so that they show upon light bodies as well

  constructor(private readonly body: Body) {
    const material = (): MeshBasicMaterial =>
      new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92, toneMapped: false });
    const bone = new CylinderGeometry(0.25, 1, 1, 6, 1).translate(0, 0.5, 0);
    this.bones = new InstancedMesh(bone, material(), Math.max(body.joints.length, 1));
    this.gems = new InstancedMesh(new OctahedronGeometry(1, 2), material(), Math.max(body.joints.length, 1));
    (this.bones.material as MeshBasicMaterial).opacity = 0.6;
    this.halos = [darkHalo(this.bones, 1.9, 1), darkHalo(this.gems, 1.4, 1.4)];
    [...this.halos, this.bones, this.gems].forEach((mesh, order) => {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10 + order;
      this.group.add(mesh);
    });
  }

  /** `unit`: the world's length of a pixel at the body. */
  update(look: SkeletonLook, unit: number): void {
    const a = new Vector3();
    const b = new Vector3();
    const matrix = new Matrix4();
    const nothing = new Matrix4().makeScale(0, 0, 0);
    const turn = new Quaternion();
    const color = new Color();
    const up = new Vector3(0, 1, 0);
    this.body.details.forEach(({ parent }, j) => {
      const confidence = look.confidence?.[j] ?? null;
      const hidden = look.hidden.has(j);
      this.body.jointPosition(j, b);
      const hovered = look.hover === j;
      const radius = unit * (look.selected.has(j) ? 6 : hovered ? 5.5 : look.pinned.has(j) ? 5 : 3.4);
      this.gems.setMatrixAt(j, hidden ? nothing : matrix.makeScale(radius, radius, radius).setPosition(b));
      if (look.selected.has(j)) color.copy(kColors.accent);
      else if (look.pinned.has(j)) color.copy(kColors.pinned);
      else if (confidence !== null) confidenceColor(confidence, color);
      else color.copy(hovered ? kColors.accent : kColors.bone);
      this.gems.setColorAt(j, color);
      if (parent < 0 || hidden) {
        this.bones.setMatrixAt(j, nothing);
      } else {
        this.body.jointPosition(parent, a);
        const length = a.distanceTo(b);
        turn.setFromUnitVectors(up, b.sub(a).divideScalar(Math.max(length, 1e-9)));
        const width = Math.min(unit * 2.2, length * 0.12);
        this.bones.setMatrixAt(j, matrix.compose(a, turn, new Vector3(width, length, width)));
      }
      this.bones.setColorAt(
        j,
        confidence !== null ? confidenceColor(confidence, color) : color.copy(kColors.bone),
      );
    });
    for (const mesh of [this.bones, this.gems]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const mesh of [...this.halos, this.bones, this.gems]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
  }
}

/** The same shapes, wider and dark, at the same places. */
function darkHalo(of: InstancedMesh, wider: number, longer: number): InstancedMesh {
  const material = new MeshBasicMaterial({
    color: "#0d1015",
    depthTest: false,
    transparent: true,
    opacity: 0.5,
    toneMapped: false,
  });
  const halo = new InstancedMesh(of.geometry.clone().scale(wider, longer, wider), material, of.count);
  halo.instanceMatrix = of.instanceMatrix;
  return halo;
}

/** Colours instead of the body's materials; a colour a corner, since a vertex may lie between two parts. */
export class PaintOverlay {
  private readonly meshes: { source: Mesh; painted: Mesh }[] = [];
  private readonly material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.85, metalness: 0, side: DoubleSide });

  constructor(private readonly body: Body) {
    for (const { mesh } of body.parts) {
      const geometry = mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry.clone();
      geometry.setAttribute("color", new BufferAttribute(new Float32Array(geometry.attributes["position"]!.count * 3), 3));
      if (!geometry.attributes["normal"]) geometry.computeVertexNormals();
      let painted: Mesh;
      if (mesh instanceof SkinnedMesh) {
        const skinned = new SkinnedMesh(geometry, this.material);
        skinned.bind(mesh.skeleton, mesh.bindMatrix);
        skinned.bindMode = mesh.bindMode;
        painted = skinned;
      } else {
        painted = new Mesh(geometry, this.material);
      }
      painted.frustumCulled = false;
      painted.castShadow = true;
      // A sibling with the same transform.
      painted.matrixAutoUpdate = false;
      painted.matrix = mesh.matrix;
      mesh.parent!.add(painted);
      this.meshes.push({ source: mesh, painted });
    }
  }

  /** Shows a paint, or with null the body's own materials. `joint` is the one whose weights are shown. */
  show(paint: Paint | null, joint: number | null, confidence: readonly (number | null)[] | null = null): void {
    let firstFace = 0;
    for (const { source, painted } of this.meshes) {
      // By layers: what is made invisible hides its children too, which may be other parts.
      source.layers.mask = paint === null ? 1 : 0;
      painted.layers.mask = paint === null ? 0 : 1;
      if (paint) this.fill(painted.geometry, source, firstFace, paint, joint, confidence);
      firstFace += painted.geometry.attributes["position"]!.count / 3;
    }
  }

  dispose(): void {
    this.show(null, null);
    for (const { painted } of this.meshes) {
      painted.removeFromParent();
      painted.geometry.dispose();
    }
    this.material.dispose();
  }

  private fill(
    geometry: BufferGeometry,
    source: Mesh,
    firstFace: number,
    paint: Paint,
    joint: number | null,
    confidence: readonly (number | null)[] | null,
  ): void {
    const colors = geometry.attributes["color"] as BufferAttribute;
    const color = new Color();
    const bones = source instanceof SkinnedMesh ? source.skeleton.bones.map((bone) => this.body.joints.indexOf(bone)) : null;
    const indices = geometry.attributes["skinIndex"];
    const weights = geometry.attributes["skinWeight"];
    const blend = (corner: number, value: (joint: number) => number): number => {
      if (!bones || !indices || !weights) return 0;
      let sum = 0;
      for (let k = 0; k < 4; ++k) sum += weights.getComponent(corner, k) * value(bones[indices.getComponent(corner, k)] ?? -1);
      return sum;
    };
    for (let corner = 0; corner < colors.count; ++corner) {
      if (paint === "parts") {
        const label = this.body.faceLabels?.[firstFace + Math.floor(corner / 3)];
        if (label === undefined) color.copy(kColors.dim);
        else partColor(label, color);
      } else if (paint === "weights") {
        weightColor(joint === null ? 0 : blend(corner, (j) => (j === joint ? 1 : 0)), color);
      } else if (confidence) {
        confidenceColor(
          blend(corner, (j) => confidence[j] ?? 0),
          color,
        );
      } else {
        color.copy(kColors.dim);
      }
      colors.setXYZ(corner, color.r, color.g, color.b);
    }
    colors.needsUpdate = true;
  }
}

/** Discs on the ground below joints that touch it. */
export class ContactOverlay {
  readonly group = new Group();
  private readonly discs: Mesh[] = [];

  constructor(
    private readonly body: Body,
    private readonly contacts: readonly Contact[],
  ) {
    const geometry = new CircleGeometry(1, 32).rotateX(-Math.PI / 2);
    for (const _ of contacts) {
      const material = new MeshBasicMaterial({
        color: kColors.accent,
        transparent: true,
        opacity: 0.75,
        depthWrite: false,
        toneMapped: false,
      });
      const disc = new Mesh(geometry, material);
      disc.renderOrder = 2;
      this.discs.push(disc);
      this.group.add(disc);
    }
  }

  update(time: number): void {
    this.contacts.forEach((contact, c) => {
      const disc = this.discs[c]!;
      const j = this.body.indexOf(contact.joint);
      disc.visible = j >= 0 && inContact(contact, time);
      if (!disc.visible) return;
      this.body.jointPosition(j, disc.position).setY(this.body.size * 0.003);
      disc.scale.setScalar(this.body.size * 0.045);
    });
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const disc of this.discs) (disc.material as MeshBasicMaterial).dispose();
    this.discs[0]?.geometry.dispose();
  }
}
