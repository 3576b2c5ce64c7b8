// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What is being worked at, with a way to stop it, and messages.
import { isOver, type Job } from "../api";
import { button, h, icon } from "../dom";
import type { Message, Session } from "../session";

const kWords: Record<string, string> = {
  inspect: "Reading the model",
  doctor: "Examining its health",
  rig: "Rigging",
  animate: "Making it move",
  clip: "Changing the clip",
  export: "Exporting",
  zoo: "Making a body",
  parts: "Finding parts",
  contacts: "Finding contacts",
  score: "Checking the clip",
  mend: "Mending",
  retarget: "Carrying the clip over",
  import: "Reading the file",
};

export class JobsPanel {
  readonly element = h("div", { class: "jobs", "aria-live": "polite" });
  private readonly cards = new Map<string, { card: HTMLElement; bar: HTMLElement; stage: HTMLElement }>();

  constructor(private readonly session: Session) {}

  update(): void {
    const running = [...this.session.server.jobs.values()].filter((job) => !isOver(job));
    for (const [id, { card }] of this.cards) {
      if (running.some((job) => job.id === id)) continue;
      card.remove();
      this.cards.delete(id);
    }
    for (const job of running) {
      const { bar, stage } = this.cards.get(job.id) ?? this.add(job);
      bar.parentElement!.classList.toggle("unknown", job.fraction === null);
      bar.style.width = job.fraction === null ? "" : `${Math.round(job.fraction * 100)}%`;
      stage.textContent = job.state === "queued" ? "waiting" : job.stage;
    }
  }

  private add(job: Job): { card: HTMLElement; bar: HTMLElement; stage: HTMLElement } {
    const bar = h("span", {});
    const stage = h("span", { class: "faint" });
    const cancel = button(icon("close"), () => void this.session.attempt(() => this.session.api.cancel(job.id)), {
      kind: "quiet",
      title: "Cancel",
    });
    const card = h(
      "div",
      { class: "job", "data-job": job.do },
      h(
        "div",
        { class: "row" },
        h("span", { class: "nowrap" }, kWords[job.do] ?? job.do),
        stage,
        h("span", { class: "grow" }),
        cancel,
      ),
      h("div", { class: "bar" }, bar),
    );
    this.element.append(card);
    const entry = { card, bar, stage };
    this.cards.set(job.id, entry);
    return entry;
  }
}

/** How long somebody needs to read a message and to do what it offers, in milliseconds. */
export function readingTime({ kind, text, advice, action }: Message): number {
  return 3000 + 60 * (text.length + advice.length) + (kind === "error" ? 4000 : 0) + (action ? 5000 : 0);
}

/** Messages that go by themselves, but not while the mouse or the focus is on one. */
export class Messages {
  readonly element = h("div", { class: "messages", role: "log", "aria-label": "Messages", "aria-live": "polite" });
  private readonly closers: (() => void)[] = [];

  show(message: Message): void {
    const { kind, text, advice, action } = message;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hold = (): void => clearTimeout(timer);
    const wait = (): void => {
      hold();
      timer = setTimeout(close, readingTime(message));
    };
    const close = (): void => {
      hold();
      const at = this.closers.indexOf(close);
      if (at >= 0) this.closers.splice(at, 1);
      const focused = card.contains(document.activeElement);
      card.remove();
      // Else the keyboard would be nowhere.
      if (focused) document.querySelector<HTMLElement>(".stage canvas")?.focus();
    };
    const card = h(
      "div",
      { class: `message ${kind}`, role: kind === "error" ? "alert" : null, pointerenter: hold, pointerleave: wait, focusin: hold, focusout: wait },
      h("div", { class: "grow" }, h("p", {}, text), advice ? h("p", { class: "faint" }, advice) : null),
      action ? button(action.label, () => (close(), action.run()), { kind: "small" }) : null,
      button(icon("close"), close, { kind: "quiet", title: "Close  Esc" }),
    );
    this.element.append(card);
    this.closers.push(close);
    wait();
    while (this.closers.length > 3) this.closers[0]!();
  }

  /** Closes the newest; returns whether there was one. */
  dismiss(): boolean {
    const newest = this.closers.at(-1);
    newest?.();
    return newest !== undefined;
  }
}
