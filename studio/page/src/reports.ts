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

/** What a body was taken for when it got its skeleton. */
export interface Kind {
  name: string;
  confidence: number;
  runnerUp: string; // what it may be instead; empty: nothing is near
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

/** What `limber rig --json`, or `limber animate --json` where it rigged, took the body for; null where it went by something else than kinds. */
export function readKind(report: unknown): Kind | null {
  const top = record(report);
  const skeleton = record(top["skeleton"] ?? top["rig"]);
  const name = text(skeleton["template"]);
  return name ? { name, confidence: number(skeleton["confidence"]), runnerUp: text(skeleton["runner_up"]) } : null;
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

const kOfTheCommandLine = /--\w|\blimber [a-z]/;

/** What of a line of help is not about the command line: a button stands for that here. */
export function plainHelp(help: string): string {
  return help
    .split(/;\s*|,\s*and\s+/)
    .filter((part) => !kOfTheCommandLine.test(part))
    .join("; ");
}

/** A message of the program without its options: what tells of them goes, and where nothing else is left they become words. */
export function plainMessage(message: string): string {
  if (!kOfTheCommandLine.test(message)) return message.replace(/`/g, "");
  const short = plainHelp(message.replace(/\s*\(([^()]*)\)/g, (all, inside: string) => (kOfTheCommandLine.test(inside) ? "" : all)));
  const words = /--\w/.test(short) || short === "" ? message : short;
  return words.replace(/`/g, "").replace(/(^|[^\w-])--(\w[\w-]*)/g, (_, before: string, name: string) => before + name.replace(/-/g, " "));
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

/** A check of a finished clip, in words; `passed` is null where it is not to be asked. */
export interface Check {
  name: string;
  passed: boolean | null;
  words: string;
  number: string;
  mend: string; // what repairs it: an option of the job `mend`; empty where nothing does
}

const kGood: Record<string, string> = {
  loop: "ends where it begins",
  contact: "feet that stand touch the floor",
  floor: "nothing is below the floor",
  drift: "keeps its place, or its way",
  flips: "no joint turns over",
  skin: "the skin holds",
  weights: "the skin has no cracks",
  leak: "limbs move alone",
};
const kMendable = ["loop", "contact", "floor", "drift", "flips", "weights"];

/** What was measured beside what is allowed, for a person. */
export function measureWords(value: number, allowed: number, unit: string): string {
  const short = (x: number): string => (Math.abs(x) < 1e-4 ? "0" : Number(x.toPrecision(2)).toString());
  if (unit === "heights") return `${short(100 * value)} % of the height, ${short(100 * allowed)} % allowed`;
  return `${short(value)} ${unit}, ${short(allowed)} allowed`.replace("  ", " ");
}

function checks(group: unknown): Check[] {
  return Object.entries(record(group)).map(([name, entry]) => {
    const check = record(entry);
    const passed = typeof check["passed"] === "boolean" ? check["passed"] : null;
    const mend = text(check["mend"]);
    return {
      name,
      passed,
      words: text(check["words"]) || (kGood[name] ?? "is well"),
      number: passed === null ? "" : measureWords(number(check["value"]), number(check["allowed"]), text(check["unit"])),
      mend: passed === false && kMendable.includes(mend) ? mend : "",
    };
  });
}

/** What `limber score --json` says of one clip and of the model, faults first; null where it could not be measured. */
export function readChecks(report: unknown): Check[] | null {
  const top = record(report);
  const clip = record(list(top["clips"])[0]);
  const all = [...checks(clip["checks"]), ...checks(top["model"])];
  const rank = ({ passed }: Check): number => (passed === false ? 0 : passed === true ? 1 : 2);
  return all.length > 0 && !text(clip["unplayable"]) ? all.sort((a, b) => rank(a) - rank(b)) : null;
}

/** What `limber mend --json` did, in a sentence or two. */
export function mendedWords(report: unknown): string {
  const top = record(report);
  const clip = record(list(top["clips"])[0]);
  const weights = number(record(top["weights"])["vertices"]);
  const repaired = [...list(clip["repaired"]).map(text), ...(weights > 0 ? ["weights"] : [])].filter(Boolean);
  const left = [...list(clip["left"]), ...list(top["left"])].map(text).filter(Boolean);
  const turn = number(clip["mean_turn_deg"]);
  const change = repaired.length > 0 && turn > 0 ? ` Joints turned by ${Number(turn.toPrecision(2))} degrees on average.` : "";
  const rest = left.length > 0 ? ` Left: ${left.join("; ")}.` : "";
  return `${repaired.length > 0 ? `Mended: ${repaired.join(", ")}.` : "Nothing could be mended."}${change}${rest}`;
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
