// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The canvas: one renderer and one camera for one body, or for several side by side. It draws when something changed; where the
// camera is, is the user's business and that of camera_work.ts.
import {
  Box3,
  NeutralToneMapping,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Raycaster,
  Vector2,
  Vector3,
  WebGLRenderer,
  type Texture,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Body } from "./body";
import type { Contact } from "./contacts";
import { makeEnvironment } from "./environment";
import { fittingDistance, type Opening } from "./framing";
import { ContactOverlay, PaintOverlay, SkeletonOverlay, type Paint, type SkeletonLook } from "./overlays";
import type { ScreenPoint } from "./picking";
import { kDarkRoom, kLightRoom, Stage } from "./stage";

const kFieldOfView = 30; // degrees from top to bottom
const kLeastAspect = 0.9;
const kMargin = 0.86; // of the picture that is filled by what it should hold

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A body on its stage, with what is drawn upon it. */
class View {
  readonly stage: Stage;
  body: Body | null = null;
  skeleton: SkeletonOverlay | null = null;
  paint: PaintOverlay | null = null;
  contacts: ContactOverlay | null = null;

  constructor(environment: Texture, light: boolean) {
    this.stage = new Stage(environment, light ? kLightRoom : kDarkRoom);
  }

  show(body: Body | null): void {
    if (this.body === body) return;
    this.clear();
    this.body = body;
    if (!body) return;
    this.stage.scene.add(body.holder);
    this.stage.fit(body.size);
    if (body.skeleton) {
      this.skeleton = new SkeletonOverlay(body);
      this.stage.scene.add(this.skeleton.group);
    }
  }

  clear(): void {
    this.skeleton?.dispose();
    this.paint?.dispose();
    this.contacts?.dispose();
    this.skeleton = this.paint = this.contacts = null;
    this.body?.holder.removeFromParent();
    this.body = null;
  }
}

export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly controls: OrbitControls;
  readonly camera = new PerspectiveCamera(kFieldOfView, 1, 0.01, 100);
  /** Called before a frame is drawn, with the seconds since the last one; returns whether another should follow. */
  onFrame: (dt: number) => boolean = () => false;
  private readonly renderer: WebGLRenderer;
  private readonly environment: Texture;
  private readonly light = matchMedia("(prefers-color-scheme: light)");
  private views: View[] = [];
  private pending = false;
  private last = 0;
  private slow = 0; // seconds that a frame took lately, while things move
  private scale = 1; // of the resolution while things move: without a GPU every pixel counts
  private readonly framed = { target: new Vector3(), arm: new Vector3(0, 0, 1) }; // where it was last told to stand
  private offset = { right: 0, down: 0 }; // of the picture, as parts of its size: beside or below the words of the first screen

  constructor(container: HTMLElement) {
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    this.canvas = this.renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("aria-label", "The body; drag a joint to pose it, drag elsewhere to look around");
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.setScissorTest(true);
    container.append(this.canvas);
    this.environment = makeEnvironment(this.renderer);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.redraw());
    this.camera.position.set(2.4, 1.5, 3.2);
    this.light.addEventListener("change", () => {
      for (const { stage } of this.views) stage.furnish(this.light.matches ? kLightRoom : kDarkRoom);
      this.redraw();
    });
    new ResizeObserver(() => this.resize(container)).observe(container);
    this.resize(container);
    this.setBodies([null]);
  }

  /** One view a body; a view that keeps its body keeps its overlays. */
  setBodies(bodies: readonly (Body | null)[]): void {
    while (this.views.length > bodies.length) this.views.pop()!.clear();
    while (this.views.length < bodies.length) this.views.push(new View(this.environment, this.light.matches));
    // First let go of what another view takes over.
    this.views.forEach((view, i) => {
      if (view.body !== bodies[i]) view.clear();
    });
    this.views.forEach((view, i) => view.show(bodies[i]!));
    this.redraw();
  }

  get bodies(): readonly (Body | null)[] {
    return this.views.map((view) => view.body);
  }

  /** Moves the picture aside without turning the camera. */
  setOffset(right: number, down: number): void {
    this.offset = { right, down };
    this.redraw();
  }

  /** From the middle of the picture to the camera. */
  get direction(): Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  /** Whether nobody has moved the camera nearer, farther or aside since it was last told what to hold. */
  get sameNearness(): boolean {
    const { arm, target } = this.framed;
    const length = arm.length();
    const now = this.camera.position.distanceTo(this.controls.target);
    return Math.abs(now - length) < 0.01 * length && this.controls.target.distanceTo(target) < 0.01 * length;
  }

  /** ... nor turned it. */
  get untouched(): boolean {
    return this.sameNearness && this.direction.angleTo(this.framed.arm) < 0.01;
  }

  /** Looks at all of a box, from a direction. */
  look(box: Box3, direction: Vector3): void {
    const target = box.getCenter(new Vector3());
    const distance = Math.max(fittingDistance(box, direction, this.opening()), 1e-6);
    this.controls.minDistance = distance * 0.05;
    this.controls.maxDistance = distance * 8;
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.stand(target, direction.clone().normalize().multiplyScalar(distance));
  }

  /** The same from where it looks already; a distance that will do is kept, as a jump is worse. */
  fit(box: Box3): void {
    const needed = fittingDistance(box, this.direction, this.opening());
    const now = this.camera.position.distanceTo(this.controls.target);
    if (needed > now || needed < now * 0.7) this.look(box, this.direction);
    else this.centre(box.getCenter(new Vector3()));
  }

  /** Goes along with something. */
  shift(way: Vector3): void {
    if (way.lengthSq() === 0) return;
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.framed.target.add(way);
    this.controls.update();
  }

  /** Goes to where this is in the middle. */
  centre(point: Vector3): void {
    this.stand(point, this.camera.position.clone().sub(this.controls.target));
  }

  orbit(azimuth: number, zoom: number): void {
    const arm = this.camera.position
      .clone()
      .sub(this.controls.target)
      .applyAxisAngle(new Vector3(0, 1, 0), azimuth)
      .multiplyScalar(zoom);
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.redraw();
  }

  /** Higher or lower, never over the top. */
  tilt(angle: number): void {
    const arm = this.camera.position.clone().sub(this.controls.target);
    const polar = Math.min(Math.max(arm.angleTo(this.camera.up) - angle, 0.02), Math.PI - 0.02);
    const flat = arm.clone().setY(0);
    if (flat.lengthSq() < 1e-12) flat.set(0, 0, 1);
    const length = arm.length();
    flat.setLength(length * Math.sin(polar)).setY(length * Math.cos(polar));
    this.camera.position.copy(this.controls.target).add(flat);
    this.controls.update();
    this.redraw();
  }

  /** Aside and up, as parts of the picture's height. */
  pan(right: number, up: number): void {
    const height = this.pixelAt(this.controls.target) * this.rectOf(0).height;
    const way = new Vector3().setFromMatrixColumn(this.camera.matrix, 0).multiplyScalar(right * height);
    way.addScaledVector(new Vector3().setFromMatrixColumn(this.camera.matrix, 1), up * height);
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.controls.update();
    this.redraw();
  }

  setPaint(paint: Paint | null, joint: number | null, confidence: readonly (number | null)[] | null): void {
    for (const view of this.views) {
      if (paint && view.body && !view.paint) view.paint = new PaintOverlay(view.body);
      view.paint?.show(paint, joint, confidence);
    }
    this.redraw();
  }

  setContacts(contacts: readonly Contact[] | null): void {
    for (const view of this.views) {
      view.contacts?.dispose();
      view.contacts = contacts && view.body ? new ContactOverlay(view.body, contacts) : null;
      if (view.contacts) view.stage.scene.add(view.contacts.group);
    }
    this.redraw();
  }

  updateContacts(time: number): void {
    for (const view of this.views) view.contacts?.update(time);
  }

  showSkeleton(look: SkeletonLook | null): void {
    this.views.forEach((view) => {
      if (!view.skeleton) return;
      view.skeleton.group.visible = look !== null;
      if (look) view.skeleton.update(look, this.pixelAt(this.controls.target));
    });
  }

  markFront(forward: Vector3 | null, place: Vector3): void {
    for (const { stage, body } of this.views) {
      if (!body) continue;
      const half = body.box.getSize(new Vector3()).multiplyScalar(0.5);
      const reach = forward ? Math.abs(forward.x) * half.x + Math.abs(forward.y) * half.y + Math.abs(forward.z) * half.z : 0;
      stage.markFront(forward ? forward.clone().applyQuaternion(body.holder.quaternion) : null, place, body.size, reach);
    }
  }

  redraw(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame((now) => {
      this.pending = false;
      const dt = (now - this.last) / 1000;
      this.last = now;
      const more = this.onFrame(Math.min(dt, 0.1));
      this.adapt(more, dt);
      this.draw();
      if (more) this.redraw();
    });
  }

  /** Where view `i` is on the canvas, in CSS pixels from its upper left. */
  rectOf(i: number): Rect {
    const n = this.views.length;
    const columns = n <= 3 ? n : Math.ceil(Math.sqrt(n));
    const rows = Math.ceil(n / columns);
    const width = this.canvas.clientWidth / columns;
    const height = this.canvas.clientHeight / rows;
    return { x: (i % columns) * width, y: Math.floor(i / columns) * height, width, height };
  }

  viewAt(x: number, y: number): number {
    return Math.max(
      0,
      this.views.findIndex((_, i) => contains(this.rectOf(i), x, y)),
    );
  }

  /** The joints of a view's body on the screen. */
  jointsOnScreen(i: number): ScreenPoint[] {
    const body = this.views[i]?.body;
    if (!body) return [];
    const rect = this.aim(i);
    const p = new Vector3();
    return body.joints.map((_, index) => {
      body.jointPosition(index, p).project(this.camera);
      return { index, x: rect.x + ((p.x + 1) / 2) * rect.width, y: rect.y + ((1 - p.y) / 2) * rect.height, depth: p.z };
    });
  }

  /** The ray through a pixel of view `i`. */
  rayAt(i: number, x: number, y: number): Raycaster["ray"] {
    const rect = this.aim(i);
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(((x - rect.x) / rect.width) * 2 - 1, 1 - ((y - rect.y) / rect.height) * 2), this.camera);
    return caster.ray;
  }

  /** The world's length of a pixel at a point. */
  pixelAt(point: Vector3): number {
    const distance = this.camera.position.distanceTo(point);
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(this.rectOf(0).height, 1);
  }

  private stand(target: Vector3, arm: Vector3): void {
    this.controls.target.copy(target);
    this.camera.position.copy(target).add(arm);
    this.framed.target.copy(target);
    this.framed.arm.copy(arm);
    this.controls.update();
    this.redraw();
  }

  /** What may be filled of the picture. */
  private opening(): Opening {
    this.aim(0);
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * kMargin;
    const { right, down } = this.offset;
    return { across: half * this.camera.aspect * (1 - 2 * right), upright: half * (1 - 2 * down) };
  }

  private aim(i: number): Rect {
    const rect = this.rectOf(i);
    this.camera.aspect = rect.width / Math.max(rect.height, 1);
    // A narrow picture shows as much from side to side as a broad one, and more above and below.
    const narrow = Math.max(kLeastAspect / this.camera.aspect, 1);
    this.camera.fov = (Math.atan(Math.tan((kFieldOfView * Math.PI) / 360) * narrow) * 360) / Math.PI;
    const { right, down } = this.offset;
    if (right !== 0 || down !== 0)
      this.camera.setViewOffset(rect.width, rect.height, -right * rect.width, -down * rect.height, rect.width, rect.height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    return rect;
  }

  private draw(): void {
    const height = this.canvas.clientHeight;
    const middle = new Vector3();
    this.views.forEach((view, i) => {
      const rect = this.aim(i);
      const y = height - rect.y - rect.height;
      this.renderer.setViewport(rect.x, y, rect.width, rect.height);
      this.renderer.setScissor(rect.x, y, rect.width, rect.height);
      if (view.body) {
        const at = view.body.joints.length > 0 ? view.body.jointPosition(0, middle) : middle.set(0, 0, 0);
        view.stage.follow(at.x, at.z, view.body.size);
      }
      this.renderer.render(view.stage.scene, this.camera);
    });
  }

  /** Fewer pixels while frames are slow, all of them once it stands still. */
  private adapt(moving: boolean, dt: number): void {
    if (moving && dt < 1) this.slow += (dt - this.slow) * 0.25;
    const wanted = !moving ? 1 : this.slow > 0.07 ? Math.max(this.scale * 0.7, 0.5) : this.scale;
    if (wanted === this.scale) return;
    this.scale = wanted;
    if (moving) this.slow = 0.04; // judge the new one afresh
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * wanted);
  }

  private resize(container: HTMLElement): void {
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * this.scale);
    this.renderer.setSize(Math.max(container.clientWidth, 1), Math.max(container.clientHeight, 1), true);
    this.redraw();
  }
}

function contains(rect: Rect, x: number, y: number): boolean {
  return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}
