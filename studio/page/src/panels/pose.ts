// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The selected joints, pins, keys, and what fills the time between.
import type { Actions } from "../actions";
import { keysOf } from "../document";
import { button, h, setPressed } from "../dom";
import { keyAt } from "../keys";
import type { Session } from "../session";

export class PosePanel {
  readonly element = h("section", { class: "stack", id: "pose-panel" });
  private readonly state = h("div", { class: "stack tight" });
  private readonly fill: HTMLButtonElement;
  private readonly key: HTMLButtonElement;
  private readonly show: HTMLButtonElement;
  private shown = "";

  constructor(
    private readonly session: Session,
    actions: Actions,
    prompt: () => string,
  ) {
    this.key = button("Key", () => (this.hasKey() ? actions.removeKey() : actions.insertKey()), {
      title: "A key here, or none  K, Delete",
      id: "key",
      pressed: false,
    });
    this.fill = button("Fill in between", () => actions.fillIn(prompt()), {
      kind: "primary wide",
      title: "Let the prior make a motion through the keys",
      id: "fill",
    });
    this.show = button("Show all", () => actions.showAll(), { kind: "quiet", title: "Show all chains  Shift H" });
    this.element.append(
      h("h2", {}, "Pose"),
      this.state,
      h(
        "div",
        { class: "row" },
        button("Pin", () => actions.pin(), { title: "Hold the selected joints where they are  P" }),
        button("Mirror", () => actions.mirror(), { title: "Left becomes right; with a selection that limb only  M" }),
        button("Hide", () => actions.hide(), { title: "Hide the chain of the selected joint  H" }),
        this.key,
      ),
      this.show,
      this.fill,
    );
  }

  update(): void {
    const { session } = this;
    const { view, document: work } = session;
    const keys = keysOf(work).length;
    const state = JSON.stringify([
      view.selected,
      work.pins.map((p) => p.joint),
      keys,
      view.plausibility,
      view.doubtful,
      this.hasKey(),
      work.hidden.length,
      session.rigged,
    ]);
    if (state === this.shown) return;
    this.shown = state;
    this.element.classList.toggle("off", !session.rigged);
    const lines: (HTMLElement | null)[] = [
      h(
        "p",
        { class: view.selected.length > 0 ? "" : "faint" },
        view.selected.length > 0
          ? view.selected.join(", ")
          : session.rigged
            ? "Drag a joint. Shift selects several."
            : "Rig the model to pose it.",
      ),
      work.pins.length > 0
        ? h("p", {}, h("span", { class: "dot pin" }), `Pinned: ${work.pins.map((p) => p.joint).join(", ")}`)
        : null,
      keys > 0
        ? h(
            "p",
            {},
            h("span", { class: "dot key" }),
            keys === 1 ? "1 key, not in the file yet" : `${keys} keys, not in the file yet`,
          )
        : null,
      view.plausibility === null ? null : meter(view.plausibility),
      view.plausibility !== null && view.doubtful.length > 0
        ? h("p", { class: "warn" }, `Unusual: ${view.doubtful.join(", ")}`)
        : null,
    ];
    this.state.replaceChildren(...lines.filter((line) => line !== null));
    setPressed(this.key, this.hasKey());
    this.fill.hidden = keys === 0;
    this.show.hidden = work.hidden.length === 0;
  }

  private hasKey(): boolean {
    return keyAt(keysOf(this.session.document), this.session.view.time) !== null;
  }
}

function meter(plausibility: number): HTMLElement {
  const percent = Math.round(Math.min(Math.max(plausibility, 0), 1) * 100);
  const bar = h(
    "span",
    { class: percent >= 50 ? "meter" : percent >= 15 ? "meter fair" : "meter poor" },
    h("span", { style: `width:${percent}%` }),
  );
  return h(
    "p",
    { title: "How usual such a pose is for such a body" },
    "Plausible ",
    bar,
    h("span", { class: "faint" }, ` ${percent} %`),
  );
}
