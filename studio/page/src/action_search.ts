// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Finds known actions by what somebody types, and tells whether a prompt has any.
import type { KnownAction } from "./api";

/** How many letters must be changed, put in, taken out or exchanged with a neighbour to make `b` of `a`. */
export function slips(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let j = 1; j <= b.length; ++j) {
      const same = a[i - 1] === b[j - 1];
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1)));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

const kNoMatch = 9;

/** How well a word for an action fits what was typed: 0 is best. */
function rank(word: string, typed: string): number {
  if (word === typed) return 0;
  if (word.startsWith(typed)) return 1;
  if (word.split(" ").some((part) => part.startsWith(typed))) return 2;
  if (typed.length >= 3 && word.includes(typed)) return 3;
  if (word.length >= 4 && typed.includes(word)) return 4; // "backflip" has "flip" in it
  if (typed.length >= 4 && slips(word, typed) <= (typed.length >= 7 ? 2 : 1)) return 5;
  return kNoMatch;
}

/** Known actions that fit, the best first; all of them while nothing is typed. */
export function findActions(actions: readonly KnownAction[], typed: string): KnownAction[] {
  const query = typed.trim().toLowerCase();
  if (!query) return [...actions];
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  const ranked = actions.map((action) => {
    const best = (text: string): number => Math.min(kNoMatch, ...action.words.map((word) => rank(word.toLowerCase(), text)));
    // Of a sentence each word may be it.
    return { action, rank: Math.min(best(query), ...words.map((word) => best(word) + 0.5)) };
  });
  return ranked
    .filter((one) => one.rank < kNoMatch)
    .sort((a, b) => a.rank - b.rank)
    .map((one) => one.action);
}

/** Whether a sentence names an action, by a form that is known or one that is made by the rules: "gliding", "hopped". */
export function namesAction(actions: readonly KnownAction[], prompt: string): boolean {
  const sentence = ` ${prompt.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `;
  const stems = (word: string): string[] => [word, word.replace(/e$/, ""), word.replace(/y$/, "i"), word + word.slice(-1)];
  return actions.some(({ words }) =>
    words.some((word) => {
      const known = word.toLowerCase();
      if (sentence.includes(` ${known} `)) return true;
      return !known.includes(" ") && stems(known).some((stem) => ["s", "es", "ed", "ing"].some((end) => sentence.includes(` ${stem}${end} `)));
    }),
  );
}

/** The prompt with one more thing to do in its last line: after what somebody wrote there, instead of what was only chosen before. */
export function withAction(prompt: string, { does }: KnownAction, chosen: boolean): string {
  const lines = prompt.split("\n");
  const before = lines.pop()!.trim().replace(/[,;.]+$/, "");
  return [...lines, before === "" || chosen ? `it ${does}` : `${before}, then ${does}`].join("\n");
}
