// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The versions of each model, told apart by their names.
import type { Asset, Job } from "./api";

export interface Version {
  id: string;
  title: string;
  file: string;
}
export interface Group {
  root: string; // the asset that the others were made of
  name: string;
  versions: Version[];
}

/** The asset that this one was made of, through all that lies between, as far as it is known. */
export function rootOf(assets: ReadonlyMap<string, Asset>, id: string): string {
  const seen = new Set<string>();
  for (let at = id; ; ) {
    const parent = assets.get(at)?.parent;
    if (!parent || seen.has(parent)) return at;
    seen.add(parent);
    at = parent;
  }
}

/** What can be opened, by the model that it was made of: not what is still being read, or could not be. */
export function groupVersions(assets: ReadonlyMap<string, Asset>, titles: ReadonlyMap<string, string>, hidden: ReadonlySet<string>): Group[] {
  const groups = new Map<string, Group>();
  for (const { id, kind, label, ready, name } of assets.values()) {
    if (kind !== "model" || label === "preview" || !ready) continue;
    const root = rootOf(assets, id);
    const group = groups.get(root) ?? { root, name: titles.get(root) ?? assets.get(root)?.name ?? name, versions: [] };
    groups.set(root, group);
    const plain = label && label !== name ? label : id === root ? "as it came" : name;
    group.versions.push({ id, title: titles.get(id) ?? tellApart(plain, group.versions), file: name });
  }
  // Names stay as they are when others go.
  return [...groups.values()]
    .map((group) => ({ ...group, versions: group.versions.filter(({ id }) => !hidden.has(id)) }))
    .filter(({ versions }) => versions.length > 0);
}

/** "it walks", then "it walks 2". */
function tellApart(title: string, others: readonly Version[]): string {
  const taken = new Set(others.map((other) => other.title));
  let apart = title;
  for (let i = 2; taken.has(apart); ++i) apart = `${title} ${i}`;
  return apart;
}

/** Which of a job's results are to be shown: the finished motion, and samples where there are several to choose from. */
export function finalResults(job: Job, assets: ReadonlyMap<string, Asset>): string[] {
  const models = job.results.filter((id) => (assets.get(id)?.kind ?? "model") === "model");
  const labelled = (words: RegExp): string[] => models.filter((id) => words.test(assets.get(id)?.label ?? ""));
  const samples = labelled(/^candidate/);
  const finished = models.filter((id) => !samples.includes(id) && !labelled(/^preview$/).includes(id));
  // One sample alone is what the finished motion was made of.
  return [...finished, ...(samples.length > 1 || finished.length === 0 ? samples : [])];
}
