// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Buttons upon the picture: what is drawn over the body, and from where it is seen; and the labels of candidates side by side.
import type { Actions } from "../actions";
import type { CameraWork } from "../camera_work";
import { button, h, setPressed } from "../dom";
import type { Session } from "../session";
import type { Viewer } from "../viewer";

export class OverlayBar {
  readonly element = h("div", { class: "overlay-bar", role: "toolbar", "aria-label": "Overlays" });
  private readonly flags: [HTMLButtonElement, () => boolean][] = [];
  private readonly note = h("span", { class: "note faint" });

  constructor(private readonly session: Session) {
    const { view } = session;
    const flag = (label: string, key: string, on: () => boolean, toggle: () => void): void => {
      const element = button(label, toggle, {
        kind: "chip",
        pressed: on(),
        title: `${label}  ${key}`,
        id: `overlay-${label.toLowerCase()}`,
      });
      this.flags.push([element, on]);
      this.element.append(element);
    };
    const set = (which: "skeleton" | "contacts") => () => {
      view[which] = !view[which];
      session.onChange();
    };
    flag("Skeleton", "S", () => view.skeleton, set("skeleton"));
    for (const [label, key, paint] of [
      ["Weights", "W", "weights"],
      ["Parts", "T", "parts"],
      ["Confidence", "C", "confidence"],
    ] as const)
      flag(
        label,
        key,
        () => view.paint === paint,
        () => void session.setPaint(view.paint === paint ? null : paint),
      );
    flag("Contacts", "X", () => view.contacts, set("contacts"));
    this.element.append(this.note);
  }

  update(): void {
    this.element.hidden = this.session.candidates !== null;
    for (const [element, on] of this.flags) setPressed(element, on());
    this.note.textContent = this.words();
  }

  private words(): string {
    const { session } = this;
    const { view } = session;
    if (view.paint === "weights")
      return view.selected.length > 0 ? `weights of ${view.selected.at(-1)!}` : "select a joint to see its weights";
    if (view.paint === "parts" && session.body && !session.body.faceLabels) return "finding parts";
    if (view.paint === "confidence" && session.body && !session.clip?.confidence)
      return session.clip ? "nobody told how sure this clip is" : "confidence needs a clip";
    if (view.contacts && !session.clip) return "contacts need a clip";
    return "";
  }
}

/** From where it is seen. */
export class ViewBar {
  readonly element = h("div", { class: "view-bar", role: "toolbar", "aria-label": "Camera" });
  private readonly follow: HTMLButtonElement;

  constructor(
    private readonly session: Session,
    camera: CameraWork,
    actions: Actions,
  ) {
    this.follow = button("Follow", () => actions.follow(), {
      kind: "chip",
      pressed: true,
      id: "follow",
      title: "The camera goes along with a body that travels  G",
    });
    this.element.append(this.follow);
    for (const [label, view, title] of [
      ["Side", "side", "From its right; again: from its left  B"],
      ["Front", "front", "From before it; again: from behind it  N"],
      ["Top", "top", "From above it  O"],
      ["All", "corner", "All of it, from a corner  F"],
    ] as const)
      this.element.append(button(label, () => camera.look(view), { kind: "chip", title, id: `view-${view}` }));
  }

  update(): void {
    this.element.hidden = this.session.view.welcome;
    setPressed(this.follow, this.session.view.follow);
    this.follow.hidden = this.session.candidates !== null; // which stay where they are
  }
}

export class CompareLabels {
  readonly element = h("div", { class: "compare" });
  private shown = "";

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
  ) {}

  update(): void {
    const { candidates, view } = this.session;
    const width = this.viewer.canvas.clientWidth;
    const state = JSON.stringify([candidates, width, this.viewer.canvas.clientHeight, view.preview]);
    if (state === this.shown) return;
    this.shown = state;
    if (!candidates)
      return this.element.replaceChildren(
        ...(view.preview ? [h("span", { class: "badge" }, "First sight, still being refined")] : []),
      );
    this.element.replaceChildren(
      ...candidates.assets.map((id, i) => {
        const { x, y, width: w, height } = this.viewer.rectOf(i);
        const tile = h(
          "div",
          {
            class: i === candidates.chosen ? "tile on" : "tile",
            style: `left:${x}px;top:${y}px;width:${w}px;height:${height}px`,
          },
          h(
            "div",
            { class: "row" },
            h("span", {}, this.nameOf(id, i)),
            button("Keep", () => void this.session.keepCandidate(i), {
              kind: i === candidates.chosen ? "primary small" : "small",
              title: "Enter",
            }),
          ),
        );
        return tile;
      }),
    );
  }

  private nameOf(id: string, i: number): string {
    const number = /^candidate (\d+)/.exec(this.session.server.assets.get(id)?.label ?? "")?.[1];
    const mixed = this.session.candidates!.assets.some((other) =>
      /^candidate/.test(this.session.server.assets.get(other)?.label ?? ""),
    );
    return number ? `Candidate ${number}` : mixed ? "Best, finished" : `Candidate ${i + 1}`;
  }
}

/** The name of the joint under the mouse, or of the selected one, and what limb it belongs to. */
export class JointLabel {
  readonly element = h("div", { class: "joint-label", hidden: true, role: "status" });
  private shown = "";

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
  ) {}

  /** With every frame: joints move. */
  tick(): void {
    const { session } = this;
    const name = session.view.hover ?? session.view.selected.at(-1) ?? null;
    const j = name && session.body ? session.body.indexOf(name) : -1;
    const shown = j >= 0 && session.view.skeleton && !session.view.welcome && !session.candidates;
    this.element.hidden = !shown;
    if (!shown) return;
    const { x, y } = this.viewer.jointsOnScreen(0)[j]!;
    const { kind, side } = session.body!.details[j]!;
    const limb = [side, kind].filter((word) => word && word !== "middle").join(" ");
    if (this.shown !== `${name} ${limb}`) {
      this.shown = `${name} ${limb}`;
      this.element.replaceChildren(name!, limb ? h("span", { class: "faint" }, `  ${limb}`) : "");
    }
    // At the right edge it stands on the other side.
    const beside = x + this.element.offsetWidth + 24 > this.viewer.canvas.clientWidth;
    this.element.classList.toggle("before", beside);
    this.element.style.left = `${x}px`;
    this.element.style.top = `${y}px`;
  }
}
