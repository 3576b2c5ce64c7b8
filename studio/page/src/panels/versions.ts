// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// All versions of all models: to open, to name, to take away.
import { button, h, icon } from "../dom";
import type { Session } from "../session";
import type { Version } from "../versions";

export class VersionList {
  readonly element = h("div", { class: "groups" });
  private shown = "";
  private renaming: string | null = null;

  constructor(private readonly session: Session) {}

  update(): void {
    const { session } = this;
    const groups = session.versions();
    const state = JSON.stringify([groups, session.document.asset, this.renaming]);
    if (state === this.shown) return;
    this.shown = state;
    const focused = document.activeElement?.closest<HTMLElement>("[data-version]")?.dataset["version"];
    this.element.replaceChildren(
      ...groups.map(({ name, versions }) =>
        h(
          "section",
          { class: "group", "aria-label": name },
          h("h3", { class: "name", title: name }, name),
          h("ol", { class: "versions" }, ...versions.map((version) => this.row(version))),
        ),
      ),
    );
    if (focused && !this.renaming) this.focus(focused);
  }

  private focus(id: string): void {
    this.element.querySelector<HTMLElement>(`[data-version="${CSS.escape(id)}"] .version`)?.focus();
  }

  private row(version: Version): HTMLElement {
    const { session } = this;
    const { id, title, file } = version;
    if (this.renaming === id) return h("li", { "data-version": id }, this.nameField(version));
    const on = id === session.document.asset;
    return h(
      "li",
      { "data-version": id, class: on ? "on" : "", keydown: (event: KeyboardEvent) => this.key(event, version) },
      h(
        "button",
        {
          type: "button",
          class: on ? "version on" : "version",
          title: `${file}  F2 names it, Delete takes it away`,
          "aria-current": on ? "true" : null,
          click: () => void session.attempt(() => session.open(id)),
        },
        title,
      ),
      button(icon("pencil"), () => this.rename(id), { kind: "quiet tool", title: `Name ${title}` }),
      button(icon("close"), () => session.takeAway(id), { kind: "quiet tool", title: `Take away ${title}` }),
    );
  }

  private key(event: KeyboardEvent, { id }: Version): void {
    if (event.key === "F2") this.rename(id);
    else if (event.key === "Delete") this.session.takeAway(id);
    else return;
    event.preventDefault();
    event.stopPropagation(); // Delete removes a key of the clip otherwise
  }

  private rename(id: string): void {
    this.renaming = id;
    this.update();
    const field = this.element.querySelector("input");
    field?.focus();
    field?.select();
  }

  private nameField({ id, title }: Version): HTMLElement {
    const done = (keep: boolean): void => {
      if (this.renaming !== id) return; // leaving the field that is already gone
      this.renaming = null;
      if (keep) this.session.rename(id, field.value);
      this.update();
      this.focus(id);
    };
    const field = h("input", {
      type: "text",
      value: title,
      maxlength: 80,
      "aria-label": `Name of ${title}`,
      blur: () => done(true),
      keydown: (event: KeyboardEvent) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.stopPropagation();
        done(event.key === "Enter");
      },
    });
    return field;
  }
}
