// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The report about a model: what it is, which way it stands, how healthy it is and what helps.
import type { Actions } from "../actions";
import { button, formatBytes, h } from "../dom";
import { fixesOf, groupFindings, lengthWords, placesWords, plainHelp, type Direction, type Finding, type Kind } from "../reports";
import type { Session } from "../session";
import { VersionList } from "./versions";

const kKinds = [
  "auto",
  "humanoid",
  "quadruped",
  "bird",
  "fish",
  "hexapod",
  "lizard",
  "octopod",
  "snake",
  "theropod",
  "hand",
  "curve",
];

const kNames: [value: string, words: string][] = [
  ["", "limber's own"],
  ["mixamo", "Mixamo"],
  ["unity", "Unity"],
  ["unreal", "Unreal"],
  ["vrm", "VRM"],
];

export class ModelPanel {
  readonly element = h("div", { class: "stack" });
  private readonly facts = h("dl", { class: "facts" });
  private readonly kind = h(
    "select",
    { "aria-label": "Kind of body" },
    ...kKinds.map((kind) => h("option", { value: kind }, kind === "auto" ? "any body" : kind)),
  );
  private readonly names = h(
    "select",
    { id: "bone-names", title: "What the joints of a person's new skeleton are called", change: () => this.takeNames() },
    ...kNames.map(([value, words]) => h("option", { value }, words)),
  );
  private readonly rig: HTMLButtonElement;
  private readonly findings = h("ul", { class: "findings" });
  private readonly versions: VersionList;
  private shown = "";

  constructor(
    private readonly session: Session,
    private readonly actions: Actions,
    chooseFile: () => void,
    chooseFolder: () => void,
  ) {
    this.rig = button("Rig", () => void session.rig(this.kind.value === "auto" ? {} : { template: this.kind.value }), {
      kind: "primary",
      id: "rig",
      title: "Give it a skeleton and skin  R",
    });
    this.versions = new VersionList(session);
    const bones = h("label", { class: "row" }, h("span", { class: "nowrap" }, "Bone names"), this.names);
    this.element.append(
      h("section", {}, h("h2", {}, "Model"), this.facts),
      h("section", {}, h("h2", {}, "Rig"), h("div", { class: "row" }, this.kind, this.rig), bones),
      h("section", {}, h("h2", {}, "Health"), this.findings),
      h(
        "section",
        {},
        h("h2", {}, "Versions"),
        this.versions.element,
        h("div", { class: "row" }, button("Open a file", chooseFile, { kind: "quiet", title: "Ctrl O" }), button("or a folder", chooseFolder, { kind: "quiet" })),
      ),
    );
  }

  update(): void {
    this.versions.update();
    const { session } = this;
    const { report, findings, kind } = session.report;
    const state = JSON.stringify([
      session.document.asset,
      session.document.forward,
      session.document.up,
      report,
      findings,
      kind,
      session.rigged,
    ]);
    if (state === this.shown) return;
    this.shown = state;
    this.showFacts();
    this.rig.textContent = session.rigged ? "Rig anew" : "Rig";
    this.rig.className = session.rigged ? "" : "primary";
    this.rig.disabled = session.body === null;
    this.showFindings(findings);
  }

  private takeNames(): void {
    this.session.view.names = this.names.value;
    this.session.onChange();
  }

  private showFacts(): void {
    const { session } = this;
    const { asset, body } = session;
    const { report, kind } = session.report;
    const fact = (name: string, ...value: (Node | string | null)[]): HTMLElement[] => [h("dt", {}, name), h("dd", {}, ...value)];
    const triangles = report?.triangles ?? body?.triangles ?? 0;
    const size = report?.size;
    this.facts.replaceChildren(
      ...fact(
        "File",
        h("span", { class: "name" }, asset?.name ?? "none"),
        asset ? h("span", { class: "faint" }, ` ${formatBytes(asset.bytes)}`) : null,
      ),
      ...fact(
        "Surface",
        `${triangles.toLocaleString("en")} triangles`,
        report && report.pieces > 1 ? h("span", { class: "faint" }, `${report.pieces} pieces`) : null,
      ),
      ...fact("Scale", size ? `${size.map(lengthWords).join(" × ")}` : "reading"),
      ...fact("Up", this.directionWords(session.document.up ?? session.up, session.document.up ? null : (report?.up ?? null))),
      ...fact(
        "Front",
        this.directionWords(session.forward, session.document.forward ? null : (report?.forward ?? null)),
        button("Turn", () => this.actions.turnFront(), {
          kind: "small",
          title: "Turn the front by a quarter  Shift F",
          id: "turn-front",
        }),
      ),
      ...(kind ? fact("Body", kindWords(kind)) : []),
      ...fact(
        "Rig",
        body?.skeleton ? `${body.joints.length} joints` : "none yet",
        body && body.clips.length > 0
          ? h("span", { class: "faint" }, `${body.clips.length} ${body.clips.length === 1 ? "clip" : "clips"}`)
          : null,
      ),
    );
  }

  private directionWords(axis: string, told: Direction | null): HTMLElement {
    const sure = told ? ` ${Math.round(told.confidence * 100)} %` : this.session.report.report ? " as you said" : "";
    return h(
      "span",
      { title: told?.reason ?? null },
      axis,
      h("span", { class: told && told.confidence < 0.6 ? "warn" : "faint" }, sure),
    );
  }

  private showFindings(findings: Finding[] | null): void {
    if (findings === null)
      return this.findings.replaceChildren(h("li", { class: "faint" }, this.session.body ? "Examining" : "No model yet"));
    if (findings.length === 0) return this.findings.replaceChildren(h("li", { class: "good" }, "Nothing odd about it"));
    this.findings.replaceChildren(
      ...groupFindings(findings).map(({ finding, places }) => {
        const fixes = fixesOf(finding.fields, this.session.rigged);
        return h(
          "li",
          { class: finding.severity, title: places.join(", ") },
          h("p", {}, finding.what, places.length > 0 ? h("span", { class: "faint" }, ` ${placesWords(places)}`) : null),
          plainHelp(finding.help) ? h("p", { class: "faint" }, plainHelp(finding.help)) : null,
          ...fixes.map(({ label, options }) => button(label, () => void this.session.rig(options), { kind: "small" })),
        );
      }),
    );
  }
}

/** "quadruped 98 %"; what is in doubt says what it may be instead. */
function kindWords({ name, confidence, runnerUp }: Kind): HTMLElement {
  const doubtful = confidence < 0.6;
  const sure = `${Math.round(confidence * 100)} %${doubtful && runnerUp ? `, or ${runnerUp}` : ""}`;
  return h(
    "span",
    { id: "kind", title: doubtful ? "If this is wrong, choose the kind below and rig it anew" : "What it was taken for when it was rigged" },
    name,
    h("span", { class: doubtful ? "warn" : "faint" }, ` ${sure}`),
  );
}
