// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What is round the work: the bar above, the first screen, help and about.
import type { Command } from "../commands";
import { button, h } from "../dom";
import type { Session } from "../session";

export class TopBar {
  readonly element: HTMLElement;
  private readonly crumbs = h("div", { class: "crumbs" });
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly link = h("span", { class: "faint" });

  constructor(
    private readonly session: Session,
    showHelp: () => void,
    showAbout: () => void,
  ) {
    this.undo = button("Undo", () => session.undo(), { kind: "quiet", id: "undo" });
    this.redo = button("Redo", () => session.redo(), { kind: "quiet", id: "redo" });
    this.element = h(
      "header",
      { class: "top" },
      button(h("span", { class: "brand" }, "limber", h("b", {}, " studio")), () => this.home(), {
        kind: "quiet",
        title: "First screen",
      }),
      this.crumbs,
      h("span", { class: "grow" }),
      this.link,
      this.undo,
      this.redo,
      button("Keys", showHelp, { kind: "quiet", title: "All that the keyboard can do  ?", id: "help" }),
      button("About", showAbout, { kind: "quiet", id: "about" }),
    );
  }

  update(): void {
    const { session } = this;
    const { undoLabel, redoLabel } = session.history;
    this.undo.disabled = undoLabel === null;
    this.redo.disabled = redoLabel === null;
    this.undo.title = undoLabel ? `Undo: ${undoLabel}  Ctrl Z` : "Nothing to undo";
    this.redo.title = redoLabel ? `Redo: ${redoLabel}  Ctrl Shift Z` : "Nothing to redo";
    this.link.textContent = session.server.connected ? "" : "limber studio does not answer, waiting for it";
    const chain: string[] = [];
    for (let at = session.asset; at && chain.length < 4; at = session.server.assets.get(at.parent ?? "") ?? null)
      chain.unshift(session.titleOf(at.id));
    this.crumbs.textContent = session.view.loading || (session.view.welcome ? "" : chain.join("  ›  "));
  }

  private home(): void {
    this.session.view.welcome = true;
    this.session.onChange();
  }
}

export class Welcome {
  readonly element: HTMLElement;
  private readonly examples = h("div", { class: "examples" });
  private shown = "";

  constructor(
    private readonly session: Session,
    chooseFile: () => void,
    chooseFolder: () => void,
  ) {
    this.element = h(
      "div",
      { class: "welcome" },
      h("h1", {}, "Make it move."),
      h("p", {}, "Drop a model anywhere on this page. limber finds its skeleton, and it does what you say."),
      h(
        "div",
        { class: "row" },
        button("Choose a model", chooseFile, { kind: "primary large", id: "choose" }),
        button("or a folder", chooseFolder, { kind: "quiet", title: "A .gltf with its files" }),
      ),
      h("p", { class: "faint formats-known" }, "GLB, glTF, FBX, OBJ, PLY, STL, DAE; with their files, in folders, or as .zip"),
      h("h2", {}, "Or start with one of ours"),
      this.examples,
    );
  }

  update(): void {
    const { session } = this;
    this.element.hidden = !session.view.welcome;
    const state = JSON.stringify([session.server.examples, session.document.asset]);
    if (state === this.shown) return;
    this.shown = state;
    this.examples.replaceChildren(
      ...session.server.examples.map((example) => button(example.name, () => void session.example(example), { kind: "chip" })),
    );
  }
}

/** On a phone one panel is shown at a time. */
export class Tabs {
  readonly element: HTMLElement;
  private readonly tabs: { panel: "right" | "left"; tab: HTMLButtonElement }[];

  constructor(private readonly app: HTMLElement) {
    this.tabs = (
      [
        ["right", "Motion"],
        ["left", "Model"],
      ] as const
    ).map(([panel, words]) => {
      const tab = button(words, () => this.choose(panel), { id: `tab-${panel}` });
      tab.setAttribute("role", "tab");
      return { panel, tab };
    });
    this.element = h("nav", { class: "tabs", role: "tablist", "aria-label": "Panels" }, ...this.tabs.map(({ tab }) => tab));
    this.choose("right");
  }

  choose(chosen: "right" | "left"): void {
    this.app.dataset["panel"] = chosen;
    for (const { panel, tab } of this.tabs) tab.setAttribute("aria-selected", String(panel === chosen));
  }
}

/** A sheet over the page that Escape closes and that gives the focus back. */
export class Sheet {
  readonly element = h("dialog", { class: "sheet", "aria-label": "Help" });

  get open(): boolean {
    return this.element.open;
  }

  show(...content: Node[]): void {
    const close = button("Close", () => this.close(), { kind: "quiet" });
    this.element.replaceChildren(h("div", { class: "sheet-head" }, close), ...content);
    if (!this.element.open) this.element.showModal();
  }

  close(): void {
    this.element.close();
  }
}

export function helpContent(commands: readonly Command[]): HTMLElement {
  const groups = ["Play", "Pose", "Look", "Model"] as const;
  return h(
    "div",
    {},
    h("h1", {}, "Keyboard"),
    h(
      "div",
      { class: "help" },
      ...groups.map((group) =>
        h(
          "section",
          {},
          h("h2", {}, group),
          h(
            "dl",
            {},
            ...commands
              .filter((command) => command.group === group && command.name)
              .flatMap((command) => [
                h("dt", {}, command.name),
                h(
                  "dd",
                  {},
                  ...command.help
                    .split(" ")
                    .filter(Boolean)
                    .map((key) => h("kbd", {}, key)),
                ),
              ]),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "faint" },
      "Drag a joint to pose the body; Shift selects several. Drag elsewhere to look around, with the right button to move, with the wheel to come nearer. Shift while scrubbing goes between frames.",
    ),
  );
}

export async function aboutContent(version: string): Promise<HTMLElement> {
  const notices = await fetch("notices.txt").then(
    (response) => (response.ok ? response.text() : "The notices could not be read."),
    () => "The notices could not be read.",
  );
  return h(
    "div",
    {},
    h("h1", {}, "About limber studio"),
    h("p", {}, `limber ${version}. It runs on this machine: your models, videos and words stay here.`),
    h("p", {}, "limber is under the Apache License 2.0."),
    h("h2", {}, "Third-party notices"),
    h("pre", { class: "notices" }, notices),
  );
}
