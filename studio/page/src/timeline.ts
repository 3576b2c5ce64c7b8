// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The timeline: a ruler to scrub on, key marks that can be dragged, handles for the trim, bars where the body touches the ground.
import { keysOf, withKeys, withTrim } from "./document";
import { button, h, icon, setPressed } from "./dom";
import { moveKey } from "./keys";
import type { Session } from "./session";
import { clamp, formatTime, rulerStep, timeAt, xAt } from "./timeline_math";

const kSpeeds = [0.1, 0.25, 0.5, 1, 1.5, 2];
const kGrab = 7; // pixels within which a key or a handle is grabbed

type Hold = { what: "playhead" } | { what: "key"; time: number } | { what: "from" | "to" };

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { tabindex: "0", role: "slider", "aria-label": "Time", "aria-valuemin": "0" });
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly inPlace: HTMLButtonElement;
  private readonly time = h("output", { class: "time" });
  private readonly clips = h("select", { "aria-label": "Clip", title: "Clip", change: () => this.chooseClip() });
  private readonly speed = h("select", {
    "aria-label": "Speed",
    title: "Speed  , .",
    change: () => this.setSpeed(Number(this.speed.value)),
  });
  private readonly trim = h("div", { class: "row" });
  private hold: Hold | null = null;
  private clipNames = "";

  constructor(
    private readonly session: Session,
    commands: Record<"play" | "previous" | "next", () => void>,
  ) {
    this.play = button(icon("play"), commands.play, { title: "Play or pause  Space", kind: "round", id: "play" });
    this.loop = button("Loop", () => this.toggle("loop"), { title: "Start again at the end  L", kind: "chip", pressed: true });
    this.inPlace = button("In place", () => this.toggle("inPlace"), {
      title: "Show it without its travel over the ground  Y",
      kind: "chip",
      pressed: false,
    });
    for (const s of kSpeeds) this.speed.append(h("option", { value: s }, `${s}×`));
    const controls = h(
      "div",
      { class: "row" },
      button(icon("previous"), commands.previous, { title: "A frame back  ←", kind: "quiet" }),
      this.play,
      button(icon("next"), commands.next, { title: "A frame on  →", kind: "quiet" }),
      this.time,
      this.clips,
      this.speed,
      this.loop,
      this.inPlace,
      h("span", { class: "grow" }),
      this.trim,
    );
    this.element = h("footer", { class: "timeline", "aria-label": "Timeline" }, controls, this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", () => (this.hold = null));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  update(): void {
    const { session } = this;
    const { view, document: work } = session;
    this.play.replaceChildren(icon(view.playing ? "pause" : "play"));
    setPressed(this.loop, work.loop);
    setPressed(this.inPlace, work.inPlace);
    this.speed.value = String(view.speed);
    const names = session.body?.clips.map((clip) => clip.clip.name) ?? [];
    if (names.join("\n") !== this.clipNames) {
      this.clipNames = names.join("\n");
      this.clips.replaceChildren(...(names.length > 0 ? names : ["no clip"]).map((name) => h("option", { value: name }, name)));
    }
    this.clips.disabled = names.length === 0;
    const shown = session.clip?.clip.name;
    if (shown !== undefined) this.clips.value = shown;
    this.showTrim();
    this.tick();
  }

  /** What changes with every frame. */
  tick(): void {
    const { time } = this.session.view;
    this.time.textContent = formatTime(time, this.session.fps);
    this.canvas.setAttribute("aria-valuenow", time.toFixed(3));
    this.canvas.setAttribute("aria-valuetext", this.time.textContent);
    this.canvas.setAttribute("aria-valuemax", this.session.duration.toFixed(3));
    this.draw();
  }

  changeSpeed(direction: 1 | -1): void {
    const at = kSpeeds.indexOf(this.session.view.speed);
    this.setSpeed(kSpeeds[clamp((at < 0 ? 3 : at) + direction, 0, kSpeeds.length - 1)]!);
  }

  toggle(what: "loop" | "inPlace"): void {
    const { session } = this;
    session.change({ ...session.document, [what]: !session.document[what] }, what === "loop" ? "Loop" : "In place");
  }

  /** Trims the clip to start or end at the playhead. */
  trimHere(end: "from" | "to"): void {
    const { session } = this;
    const span = { ...session.span, [end]: session.view.time };
    if (span.to - span.from < 0.5 / session.fps) return session.say("The end of a clip must lie after its start.");
    session.change(withTrim(session.document, span), "Trim");
  }

  private setSpeed(speed: number): void {
    this.session.view.speed = speed;
    this.session.onChange();
  }

  private chooseClip(): void {
    const { session } = this;
    session.view.time = 0;
    session.change({ ...session.document, clip: this.clips.value }, "Choose a clip");
  }

  private showTrim(): void {
    const { session } = this;
    const { clip } = session.document;
    const { from, to } = session.span;
    const trimmed = clip !== null && (from > 0 || to < session.duration);
    this.trim.replaceChildren(
      ...(trimmed
        ? [
            h("span", { class: "faint" }, `${from.toFixed(2)} to ${to.toFixed(2)} s`),
            button("Reset", () => session.change(withTrim(session.document, null), "Reset the trim"), { kind: "quiet" }),
            button("Trim", () => void session.clipJob({ trim: [from, to] }, "Trim"), {
              title: "Make a clip of this part",
              kind: "small",
            }),
          ]
        : [h("span", { class: "faint" }, clip ? "drag the ends to trim" : "")]),
    );
  }

  private down(event: PointerEvent): void {
    const { session } = this;
    const x = event.offsetX;
    const width = this.canvas.clientWidth;
    const near = (time: number): boolean => Math.abs(xAt(time, width, session.duration) - x) <= kGrab;
    const key = keysOf(session.document).find((k) => near(k.time));
    const upper = event.offsetY < this.canvas.clientHeight * 0.5;
    this.hold = { what: "playhead" };
    if (key && !upper) this.hold = { what: "key", time: key.time };
    else if (!upper && session.clip && near(session.span.from)) this.hold = { what: "from" };
    else if (!upper && session.clip && near(session.span.to)) this.hold = { what: "to" };
    this.canvas.setPointerCapture(event.pointerId);
    session.view.playing = false; // grabbing pauses
    this.move(event);
  }

  private move(event: PointerEvent): void {
    if (!this.hold) return;
    const { session, hold } = this;
    const time = timeAt(event.offsetX, this.canvas.clientWidth, session.duration);
    const frame = Math.round(time * session.fps) / session.fps;
    if (hold.what === "playhead") session.view.time = event.shiftKey ? time : clamp(frame, 0, session.duration);
    else if (hold.what === "key") {
      const moved = moveKey(keysOf(session.document), hold.time, clamp(frame, 0, session.duration));
      session.view.time = hold.time = clamp(frame, 0, session.duration);
      return session.change(withKeys(session.document, moved), "Move a key", "move key");
    } else {
      const span = { ...session.span, [hold.what]: frame };
      if (span.to - span.from >= 1 / session.fps)
        return session.change(withTrim(session.document, span), "Trim", `trim ${hold.what}`);
    }
    session.onChange();
  }

  private draw(): void {
    const { canvas, session } = this;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return;
    const ratio = Math.min(devicePixelRatio, 2);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(canvas);
    const color = (name: string): string => style.getPropertyValue(name);
    const x = (time: number): number => xAt(time, width, session.duration);
    this.drawTrack(context, x, width, height, color);
    this.drawContacts(context, x, height, color);
    const ownWork = session.view.preview === null && session.candidates === null;
    for (const key of ownWork ? keysOf(session.document) : [])
      drawDiamond(context, x(key.time), height * 0.62, 5, color("--accent"));
    const head = x(session.view.time);
    context.fillStyle = color("--text");
    context.fillRect(head - 0.75, 0, 1.5, height);
    context.beginPath();
    context.moveTo(head - 5, 0);
    context.lineTo(head + 5, 0);
    context.lineTo(head, 7);
    context.fill();
  }

  private drawTrack(
    context: CanvasRenderingContext2D,
    x: (t: number) => number,
    width: number,
    height: number,
    color: (n: string) => string,
  ): void {
    const { session } = this;
    const top = height * 0.42;
    context.fillStyle = color("--track");
    context.beginPath();
    context.roundRect(0, top, width, height * 0.4, 4);
    context.fill();
    const { from, to } = session.span;
    context.fillStyle = color("--track-on");
    context.beginPath();
    context.roundRect(x(from), top, Math.max(x(to) - x(from), 2), height * 0.4, 4);
    context.fill();
    if (session.clip) {
      context.fillStyle = color("--faint");
      for (const end of [from, to]) context.fillRect(clamp(x(end) - 1.5, 0, width - 3), top, 3, height * 0.4);
    }
    context.font = "10.5px system-ui, sans-serif";
    context.fillStyle = color("--faint");
    const step = rulerStep(session.duration, width, 64);
    for (let i = 0; i * step <= session.duration + 1e-9; ++i) {
      const at = x(i * step);
      context.fillRect(Math.min(at, width - 1), height * 0.3, 1, height * 0.08);
      const label = `${Number((i * step).toFixed(3))} s`;
      const wide = context.measureText(label).width;
      context.fillText(label, clamp(at - wide / 2, 0, width - wide), height * 0.22);
    }
  }

  private drawContacts(
    context: CanvasRenderingContext2D,
    x: (t: number) => number,
    height: number,
    color: (n: string) => string,
  ): void {
    if (!this.session.view.contacts) return;
    const contacts = this.session.contacts();
    const room = height * 0.36;
    const line = Math.min(room / Math.max(contacts.length, 1), 4);
    context.fillStyle = color("--accent-soft");
    contacts.forEach(({ spans }, i) => {
      for (const { from, to } of spans)
        context.fillRect(x(from), height * 0.44 + i * line, Math.max(x(to) - x(from), 2), Math.max(line - 1, 1));
    });
  }
}

function drawDiamond(context: CanvasRenderingContext2D, x: number, y: number, r: number, color: string): void {
  context.fillStyle = color;
  context.beginPath();
  context.moveTo(x, y - r);
  context.lineTo(x + r, y);
  context.lineTo(x, y + r);
  context.lineTo(x - r, y);
  context.fill();
}
