// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Undo and redo of an immutable state: whole states are kept, which is cheap since they share what did not change.

interface Step<T> {
  state: T;
  label: string;
  mergeKey: string;
  at: number;
}

export class History<T> {
  private steps: Step<T>[];
  private index = 0;

  /** Steps with the same `mergeKey` within `mergeMs` become one: a slider that moves is one step. */
  constructor(
    initial: T,
    private readonly limit = 200,
    private readonly mergeMs = 600,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.steps = [{ state: initial, label: "", mergeKey: "", at: -Infinity }];
  }

  get state(): T {
    return this.current.state;
  }

  get undoLabel(): string | null {
    return this.index > 0 ? this.current.label : null;
  }

  get redoLabel(): string | null {
    return this.steps[this.index + 1]?.label ?? null;
  }

  /** Records a new state; what was undone before is forgotten. */
  push(state: T, label: string, mergeKey = ""): void {
    if (state === this.state) return;
    const at = this.now();
    const merges = mergeKey !== "" && this.current.mergeKey === mergeKey && at - this.current.at < this.mergeMs;
    this.steps.length = this.index + 1;
    if (merges) this.steps.pop();
    this.steps.push({ state, label, mergeKey, at });
    if (this.steps.length > this.limit + 1) this.steps.shift();
    this.index = this.steps.length - 1;
  }

  /** Changes every state that is kept, without a step: for what is no work of the user's, such as a removed asset. */
  rewrite(change: (state: T) => T): void {
    for (const step of this.steps) step.state = change(step.state);
  }

  undo(): boolean {
    if (this.index === 0) return false;
    // What comes next must not merge with a step from before the undo.
    this.current.at = -Infinity;
    --this.index;
    this.current.at = -Infinity;
    return true;
  }

  redo(): boolean {
    if (this.index + 1 >= this.steps.length) return false;
    ++this.index;
    return true;
  }

  private get current(): Step<T> {
    return this.steps[this.index]!;
  }
}
