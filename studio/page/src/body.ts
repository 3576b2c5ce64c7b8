// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// A model as it was loaded: its meshes, joints and clips, posed by a time of a clip or by a pose.
import { Box3, Group, Matrix4, Mesh, Quaternion, SkinnedMesh, Texture, Vector3, type Object3D } from "three";
import { GLTFLoader, type GLTF } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { Pose, SkeletonAnswer, SkeletonJoint } from "./api";
import { ClipSampler } from "./clip_sampler";
import { guessFps } from "./timeline_math";
import type { Skeleton } from "./skeleton";

interface RestNode {
  node: Object3D;
  position: Vector3;
  quaternion: Quaternion;
  scale: Vector3;
}

export interface Part {
  mesh: Mesh;
  faces: number;
  order: number;
}

export class Body {
  /** Turns and shifts the file as it is shown; the file's own space is below it. */
  readonly holder = new Group();
  readonly parts: Part[] = []; // in the order of the file, which is that of face labels
  readonly joints: Object3D[] = [];
  readonly details: SkeletonJoint[] = [];
  readonly skeleton: Skeleton | null = null;
  readonly clips: ClipSampler[];
  readonly box: Box3; // at rest, in the file's space
  readonly size: number;
  faceLabels: number[] | null = null;
  private readonly rest: RestNode[] = [];

  constructor(gltf: GLTF, told: SkeletonAnswer | null) {
    this.holder.add(gltf.scene);
    this.holder.updateMatrixWorld(true);
    const byNode = new Map<number, Object3D>();
    gltf.scene.traverse((node) => {
      this.rest.push({ node, position: node.position.clone(), quaternion: node.quaternion.clone(), scale: node.scale.clone() });
      const association = gltf.parser.associations.get(node) as { nodes?: number; primitives?: number } | undefined;
      if (association?.nodes !== undefined) byNode.set(association.nodes, node);
      if (node instanceof Mesh) this.addPart(node, gltf);
    });
    this.parts.sort((a, b) => a.order - b.order);
    nameApart(gltf.animations);
    this.clips = gltf.animations
      .map((clip, i) => new ClipSampler(gltf.scene, clip, told?.confidence?.[i] ?? null))
      .filter((clip) => clip.duration > 0);
    this.box = new Box3().setFromObject(gltf.scene);
    if (this.box.isEmpty()) this.box.set(new Vector3(-0.5, 0, -0.5), new Vector3(0.5, 1, 0.5));
    this.size = Math.max(this.box.getSize(new Vector3()).length() / 1.6, 1e-6);
    this.findJoints(told?.joints ?? null, byNode);
    if (this.joints.length > 0) this.skeleton = this.readSkeleton();
    this.faceLabels = labelsIn(gltf.scene);
  }

  get triangles(): number {
    return this.parts.reduce((sum, part) => sum + part.faces, 0);
  }

  clipNamed(name: string | null): ClipSampler | null {
    return this.clips.find((clip) => clip.clip.name === name) ?? null;
  }

  fpsOf(clip: ClipSampler | null): number {
    return clip ? guessFps(clip.times) : 30;
  }

  /** Puts all nodes where the clip has them, or at rest. */
  applyClip(clip: ClipSampler | null, time: number): void {
    for (const { node, position, quaternion, scale } of this.rest) {
      node.position.copy(position);
      node.quaternion.copy(quaternion);
      node.scale.copy(scale);
    }
    clip?.apply(time);
  }

  applyPose(pose: Pose): void {
    this.joints.forEach((joint, j) => {
      const q = pose.rotations[j];
      if (q) joint.quaternion.set(q[0]!, q[1]!, q[2]!, q[3]!).normalize();
    });
    this.joints[0]?.position.fromArray(pose.root);
  }

  readPose(): Pose {
    return {
      rotations: this.joints.map((joint) => joint.quaternion.toArray() as number[]),
      root: this.joints[0]?.position.toArray() ?? [0, 0, 0],
    };
  }

  /** Shows the file with this direction up, standing on the ground and shifted against its own travel. */
  place(up: Vector3, travel: Vector3 | null): void {
    this.holder.quaternion.setFromUnitVectors(up.clone().normalize(), new Vector3(0, 1, 0));
    const turned = this.box.clone().applyMatrix4(new Matrix4().makeRotationFromQuaternion(this.holder.quaternion));
    const middle = turned.getCenter(new Vector3());
    this.holder.position.set(-middle.x, -turned.min.y, -middle.z);
    if (travel) this.holder.position.sub(travel.clone().applyQuaternion(this.holder.quaternion).setY(0));
    this.holder.updateMatrixWorld(true);
  }

  /** How far the root goes from the first to the last key of a clip, in the file's space. */
  travelOf(clip: ClipSampler): Vector3 {
    const root = this.joints[0];
    if (!root) return new Vector3();
    const at = (time: number): Vector3 => {
      this.applyClip(clip, time);
      this.holder.updateMatrixWorld(true);
      return this.holder.worldToLocal(root.getWorldPosition(new Vector3()));
    };
    const start = at(0);
    return at(clip.duration).sub(start);
  }

  jointPosition(j: number, target = new Vector3()): Vector3 {
    return target.setFromMatrixPosition(this.joints[j]!.matrixWorld);
  }

  indexOf(name: string): number {
    return this.details.findIndex((joint) => joint.name === name);
  }

  dispose(): void {
    this.holder.removeFromParent();
    for (const { mesh } of this.parts) {
      mesh.geometry.dispose();
      if (mesh instanceof SkinnedMesh) mesh.skeleton.dispose();
      for (const material of [mesh.material].flat()) {
        for (const value of Object.values(material) as unknown[]) if (value instanceof Texture) value.dispose();
        material.dispose();
      }
    }
  }

  private addPart(mesh: Mesh, gltf: GLTF): void {
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false; // bounds at rest say nothing about a pose
    const of = (thing: Object3D | null): { nodes?: number; primitives?: number } =>
      thing ? (gltf.parser.associations.get(thing) ?? {}) : {};
    const node = of(mesh).nodes ?? of(mesh.parent).nodes ?? 0;
    const corners = mesh.geometry.index?.count ?? mesh.geometry.attributes["position"]?.count ?? 0;
    this.parts.push({ mesh, faces: Math.floor(corners / 3), order: node * 1e4 + (of(mesh).primitives ?? 0) });
  }

  private findJoints(skeletonJoints: SkeletonJoint[] | null, byNode: Map<number, Object3D>): void {
    const named = skeletonJoints?.map((joint) => byNode.get(joint.node));
    if (skeletonJoints && named && named.every((node) => node !== undefined)) {
      this.joints.push(...(named as Object3D[]));
      this.details.push(...skeletonJoints);
      return;
    }
    // No word from the server: the joints of the skins, parents first.
    const bones = new Set<Object3D>();
    for (const { mesh } of this.parts) if (mesh instanceof SkinnedMesh) for (const bone of mesh.skeleton.bones) bones.add(bone);
    this.holder.traverse((node) => {
      if (bones.has(node)) this.joints.push(node);
    });
    const index = new Map(this.joints.map((joint, j) => [joint, j]));
    for (const joint of this.joints) this.details.push({ name: joint.name, parent: nearest(joint, index), node: -1 });
  }

  private readSkeleton(): Skeleton {
    const index = new Map(this.joints.map((joint, j) => [joint, j]));
    const toFile = this.holder.matrixWorld.clone().invert();
    const joints = this.joints.map((node, j) => {
      const parent = nearest(node, index);
      const above = toFile.clone().multiply(node.parent!.matrixWorld);
      const between = parent < 0 ? above : this.joints[parent]!.matrixWorld.clone().invert().multiply(node.parent!.matrixWorld);
      return { name: this.details[j]!.name, parent, between, translation: node.position.clone(), scale: node.scale.clone() };
    });
    return { joints, rest: this.readPose(), size: this.size };
  }
}

function nearest(node: Object3D, index: Map<Object3D, number>): number {
  for (let above = node.parent; above; above = above.parent) {
    const j = index.get(above);
    if (j !== undefined) return j;
  }
  return -1;
}

/** Clips are called by name: one without, or with that of an earlier clip, is called by its number, as limber's commands do. */
export function nameApart(clips: readonly { name: string }[]): void {
  const taken = new Set<string>();
  clips.forEach((clip, i) => {
    if (clip.name === "" || taken.has(clip.name)) clip.name = `#${i}`;
    taken.add(clip.name);
  });
}

/** Part labels that limber writes beside the mesh, one a triangle. */
function labelsIn(scene: Object3D): number[] | null {
  let labels: number[] | null = null;
  scene.traverse((node) => {
    const found = (node.userData as { face_labels?: unknown })["face_labels"];
    if (!labels && Array.isArray(found) && found.every((x) => typeof x === "number")) labels = found as number[];
  });
  return labels;
}

/** Whether a GLB has what a rig can be read from: a skin, or a clip that moves its pieces. */
export function mayHaveRig(bytes: ArrayBuffer): boolean {
  try {
    const length = new DataView(bytes).getUint32(12, true);
    const { skins, animations } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, length))) as {
      skins?: unknown[];
      animations?: unknown[];
    };
    return (skins?.length ?? 0) + (animations?.length ?? 0) > 0;
  } catch {
    return false; // who reads it says why
  }
}

/** Compressed meshes are not read here: decoders are WebAssembly, which the page's security policy forbids. The server unpacks them. */
export async function loadBody(bytes: ArrayBuffer, skeleton: SkeletonAnswer | null): Promise<Body> {
  return new Body(await new GLTFLoader().parseAsync(bytes, ""), skeleton);
}
