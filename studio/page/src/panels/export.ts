// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Out again: models, motions, physics, video; and changes of a whole clip.
import { keysOf } from "../document";
import { button, h } from "../dom";
import type { Session } from "../session";

const kFormats: [format: string, words: string, needs: "model" | "clip"][] = [
  ["glb", "Model with clips, for most programs", "model"],
  ["fbx", "For engines and editors that like FBX", "model"],
  ["bvh", "Motion alone", "clip"],
  ["mjcf", "Bodies, joints and the clip for MuJoCo", "clip"],
  ["mp4", "Video of the clip", "clip"],
  ["gif", "Short moving picture", "clip"],
];

export class ExportPanel {
  readonly element = h("section", { class: "stack", id: "export-panel" });
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly note = h("p", { class: "warn" });
  private readonly clipTools: HTMLButtonElement[];

  constructor(private readonly session: Session) {
    const formats = h("div", { class: "formats" });
    for (const [format, words] of kFormats) {
      const one = button(format.toUpperCase(), () => void session.export(format, this.options(format)), {
        title: words,
        id: `export-${format}`,
      });
      this.buttons.set(format, one);
      formats.append(one);
    }
    this.clipTools = [
      button("Loop", () => void session.clipJob({ loop: true }, "Make it loop"), {
        title: "A new clip whose end meets its start",
      }),
      button("In place", () => void session.clipJob({ in_place: true }, "Keep in place"), {
        title: "A new clip without travel over the ground",
      }),
      button("Mirror", () => void session.clipJob({ mirror: true }, "Mirror the clip"), {
        title: "A new clip with left and right exchanged",
      }),
    ];
    this.element.append(
      h("h2", {}, "Clip"),
      h("div", { class: "formats" }, ...this.clipTools),
      h("h2", {}, "Export"),
      formats,
      this.note,
    );
  }

  update(): void {
    const { session } = this;
    const clip = session.document.clip !== null;
    const possible = { model: session.document.asset !== null, clip };
    for (const [format, , needs] of kFormats) this.buttons.get(format)!.disabled = !possible[needs];
    for (const tool of this.clipTools) tool.disabled = !clip;
    this.note.textContent =
      keysOf(session.document).length > 0 ? "Your keys are not in the file yet: fill in between first." : "";
  }

  focus(): void {
    this.buttons.get("glb")!.focus();
    this.element.scrollIntoView({ block: "nearest" });
  }

  private options(format: string): Record<string, unknown> {
    const { clip } = this.session.document;
    return clip && ["bvh", "mjcf", "mp4", "gif"].includes(format) ? { clip } : {};
  }
}
