// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// All that limber knows to do, with a search.
import { findActions } from "../action_search";
import type { KnownAction } from "../api";
import { button, h } from "../dom";
import type { Session } from "../session";

export class ActionList {
  readonly element: HTMLDetailsElement;
  private readonly search = h("input", {
    type: "search",
    id: "action-search",
    placeholder: "Search: stroll, backflip, sit",
    "aria-label": "Search actions",
  });
  private readonly summary = h("summary", { title: "Q" });
  private readonly found = h("div", { class: "action-list", id: "action-list" });
  private shown: readonly KnownAction[] = [];

  constructor(
    private readonly session: Session,
    private readonly choose: (action: KnownAction) => void,
  ) {
    this.element = h("details", { class: "actions" }, this.summary, this.search, this.found);
    this.element.addEventListener("toggle", () => this.element.open && this.search.focus());
    this.search.addEventListener("input", () => this.show());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") this.buttons()[0]?.focus();
      else if (event.key === "Enter") this.buttons()[0]?.click();
      else return;
      event.preventDefault();
    });
    this.found.addEventListener("keydown", (event) => this.walk(event));
  }

  update(): void {
    const { actions } = this.session.server;
    this.element.hidden = actions.length === 0;
    if (actions === this.shown) return;
    this.shown = actions;
    this.summary.textContent = `All ${actions.length} actions`;
    this.show();
  }

  open(): void {
    if (this.element.open) this.search.focus();
    this.element.open = true;
  }

  /** What a sentence may mean: "does a backflip" is near "somersaults". */
  nearest(sentence: string): string | null {
    return findActions(this.session.server.actions, sentence)[0]?.does ?? null;
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.found.querySelectorAll("button")];
  }

  /** The arrows go from action to action, and from the first one back to the search. */
  private walk(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const all = this.buttons();
    const at = all.indexOf(event.target as HTMLButtonElement) + step;
    (at < 0 ? this.search : all[Math.min(at, all.length - 1)])?.focus();
    event.preventDefault();
    event.stopPropagation(); // they go from frame to frame otherwise
  }

  private show(): void {
    const found = findActions(this.shown, this.search.value);
    if (found.length === 0)
      return this.found.replaceChildren(h("p", { class: "faint" }, "Nothing like that is known."));
    const group = (name: string, actions: KnownAction[]): Node[] =>
      actions.length === 0 ? [] : [h("h3", {}, name), h("div", { class: "ideas" }, ...actions.map((one) => this.chip(one)))];
    // What was searched for comes in the order of how well it fits.
    if (this.search.value.trim()) return this.found.replaceChildren(h("div", { class: "ideas" }, ...found.map((one) => this.chip(one))));
    this.found.replaceChildren(
      ...group("Going somewhere", found.filter((action) => action.goes)),
      ...group("In one place", found.filter((action) => !action.goes)),
    );
  }

  private chip(action: KnownAction): HTMLButtonElement {
    const others = action.words.filter((word) => word.endsWith("s") && word !== action.does);
    const also = others.length > 0 ? `also: ${others.slice(0, 6).join(", ")}` : "";
    const needs = action.needs ? `needs ${action.needs}` : "";
    return button(action.does, () => this.choose(action), { kind: "idea", title: [needs, also].filter(Boolean).join("; ") });
  }
}
