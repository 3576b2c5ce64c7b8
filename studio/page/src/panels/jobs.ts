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

export class Messages {
  readonly element = h("div", { class: "messages", role: "status", "aria-live": "assertive" });

  show({ kind, text, advice, action }: Message): void {
    const close = (): void => card.remove();
    const card = h(
      "div",
      { class: `message ${kind}` },
      h("div", { class: "grow" }, h("p", {}, text), advice ? h("p", { class: "faint" }, advice) : null),
      action ? button(action.label, () => (close(), action.run()), { kind: "small" }) : null,
      button(icon("close"), close, { kind: "quiet", title: "Close" }),
    );
    this.element.append(card);
    while (this.element.children.length > 3) this.element.firstChild!.remove();
    if (kind === "info") setTimeout(close, action ? 12000 : 5000);
  }
}
