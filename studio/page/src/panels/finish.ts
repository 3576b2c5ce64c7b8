// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Whether the shown clip is finished: what a viewer would see, check by check, and a button that mends it.
import { button, h } from "../dom";
import type { Check } from "../reports";
import type { Session } from "../session";

const kOfSkin = ["skin", "leak"]; // what mending a clip does not repair

export class FinishPanel {
  readonly element = h("section", { class: "stack", id: "finish-panel" });
  private readonly checks = h("ul", { class: "checks" });
  private readonly mend: HTMLButtonElement;
  private readonly weigh: HTMLButtonElement;
  private shown = "";

  constructor(private readonly session: Session) {
    this.mend = button("Mend", () => void session.mend(), {
      kind: "primary",
      id: "mend",
      title: "Repair what can be repaired, as a new version",
    });
    this.weigh = button("Weight the skin anew", () => void session.rig({ keep_skeleton: true }), {
      id: "weigh-anew",
      title: "The same skeleton, and how the skin follows it solved anew, as a new version",
    });
    this.element.append(h("h2", {}, "Finished?"), this.checks, h("div", { class: "row wrap" }, this.mend, this.weigh));
  }

  update(): void {
    const checks = this.session.checks();
    const state = JSON.stringify([checks, this.session.document.asset]);
    if (state === this.shown) return;
    this.shown = state;
    this.element.hidden = checks === null;
    const list = checks?.list ?? [];
    const faults = list.filter((check) => check.mend).length;
    this.mend.hidden = faults === 0;
    this.weigh.hidden = !list.some((check) => check.passed === false && kOfSkin.includes(check.name));
    this.mend.textContent = faults === 1 ? "Mend it" : `Mend ${faults} faults`;
    if (checks && !checks.list) return this.checks.replaceChildren(h("li", { class: "faint" }, checks.note));
    this.checks.replaceChildren(...list.map(row));
  }
}

function row({ name, passed, words, number }: Check): HTMLElement {
  const verdict = passed === null ? "unasked" : passed ? "good" : "bad";
  const mark = passed === null ? "\u2013" : passed ? "\u2713" : "\u2717";
  const spoken = passed === null ? "not asked" : passed ? "passed" : "failed";
  return h(
    "li",
    { class: verdict, "data-check": name, title: number },
    h("span", { class: "mark", role: "img", "aria-label": spoken }, mark),
    h(
      "div",
      {},
      h("p", {}, h("span", { class: "check-name" }, name.charAt(0).toUpperCase() + name.slice(1)), ` ${words}`),
      passed === false && number ? h("p", { class: "faint" }, number) : null,
    ),
  );
}
