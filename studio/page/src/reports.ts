// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What `limber inspect --json` and `limber doctor --json` say, read with care: reports are data from elsewhere.

export interface Direction {
  axis: number[];
  confidence: number;
  reason: string;
}
export interface Finding {
  severity: "error" | "warning" | "note";
  topic: string;
  what: string;
  where: string;
  help: string;
  fields: Field[];
}

/** A field of a command that may help, and the value that it should have, where that is known. */
export interface Field {
  command: string | null; // null: of the one that warns
  field: string;
  value: string | null;
}

export interface ModelReport {
  vertices: number;
  triangles: number;
  pieces: number;
  size: number[] | null; // width, height, depth in the file's units
  up: Direction | null;
  forward: Direction | null;
  joints: number;
  clips: number;
  warnings: string[];
}

type Json = Record<string, unknown>;

const record = (x: unknown): Json => (typeof x === "object" && x !== null && !Array.isArray(x) ? (x as Json) : {});
const number = (x: unknown): number => (typeof x === "number" && Number.isFinite(x) ? x : 0);
const text = (x: unknown): string => (typeof x === "string" ? x : "");
const list = (x: unknown): unknown[] => (Array.isArray(x) ? x : []);

function vector(x: unknown): number[] | null {
  const values = list(x);
  return values.length === 3 && values.every((v) => typeof v === "number" && Number.isFinite(v)) ? (values as number[]) : null;
}

function direction(x: unknown): Direction | null {
  const axis = vector(record(x)["axis"]);
  return axis ? { axis, confidence: number(record(x)["confidence"]), reason: text(record(x)["reason"]) } : null;
}

export function readInspection(report: unknown): ModelReport {
  const top = record(report);
  const mesh = record(top["mesh"]);
  const low = vector(mesh["bounds_min"]);
  const high = vector(mesh["bounds_max"]);
  return {
    vertices: number(mesh["vertices"]),
    triangles: number(mesh["triangles"]),
    pieces: number(mesh["components"]),
    size: low && high ? high.map((x, k) => x - low[k]!) : null,
    up: direction(top["up"]),
    forward: direction(top["forward"]),
    joints: number(record(top["rig"])["joints"]),
    clips: list(top["clips"]).length,
    warnings: list(top["warnings"]).map(text).filter(Boolean), // of the file's reader
  };
}

export function readFields(fields: unknown): Field[] {
  return list(fields)
    .map((entry) => {
      const { command, field, value } = record(entry);
      return { command: text(command) || null, field: text(field), value: text(value) || null };
    })
    .filter(({ field }) => field !== "");
}

export function readFindings(report: unknown): Finding[] {
  return list(record(report)["findings"]).map((entry) => {
    const finding = record(entry);
    const severity = text(finding["severity"]);
    return {
      severity: severity === "error" || severity === "warning" ? severity : "note",
      topic: text(finding["topic"]),
      what: text(finding["what"]),
      where: text(finding["where"]),
      help: text(finding["help"]),
      fields: readFields(finding["fields"]),
    };
  });
}

export interface FindingGroup {
  finding: Finding;
  places: string[];
}

/** Findings that say the same of several places become one, with the first one's figures. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const groups = new Map<string, FindingGroup>();
  for (const finding of findings) {
    const key = [finding.severity, finding.topic, finding.help].join("\n");
    const group = groups.get(key) ?? { finding, places: [] };
    if (finding.where) group.places.push(finding.where);
    groups.set(key, group);
  }
  return [...groups.values()];
}

export function placesWords(places: readonly string[]): string {
  if (places.length <= 3) return places.join(", ");
  return `${places.slice(0, 2).join(", ")} and ${places.length - 2} more`;
}

export interface Fix {
  label: string;
  options: Record<string, string | boolean>;
}

const kFixLabels: Record<string, (value: string) => string> = {
  keep_skeleton: () => "Weight the skin anew",
  weights: (value) => `Weights: ${value}`,
  stand_up: () => "Stand it up",
  replace: () => "Make another skeleton",
  up: (value) => `Up is ${value}`,
  forward: (value) => `Front is ${value}`,
};

/** What the studio's own rig job can do about a finding: one button for every option and its value. */
export function fixesOf(fields: readonly Field[], rigged: boolean): Fix[] {
  const fixes: Fix[] = [];
  for (const { command, field, value } of fields) {
    const label = kFixLabels[field];
    if (command !== "rig" || value === null || !label) continue;
    const options: Fix["options"] = { [field]: value === "true" ? true : value };
    // Other weights are no reason to give a skeleton away.
    if (rigged && field === "weights") options["keep_skeleton"] = true;
    fixes.push({ label: label(value), options });
  }
  return fixes;
}

export function lengthWords(length: number): string {
  if (!(length > 0)) return "no extent";
  return length >= 1000 || length < 0.01 ? length.toExponential(1) : Number(length.toPrecision(3)).toString();
}

/** Contacts as the server's job reports them. */
export function readContacts(report: unknown): { joint: string; spans: { from: number; to: number }[] }[] | null {
  const joints = record(record(report)["contacts"])["joints"];
  if (!Array.isArray(joints)) return null;
  return joints.map((entry) => ({
    joint: text(record(entry)["name"]),
    spans: list(record(entry)["spans"]).map((span) => ({ from: number(list(span)[0]), to: number(list(span)[1]) })),
  }));
}

export function readFaceLabels(report: unknown): number[] | null {
  const labels = record(report)["face_labels"];
  return Array.isArray(labels) && labels.every((x) => typeof x === "number") ? (labels as number[]) : null;
}
