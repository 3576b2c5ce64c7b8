// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What it should do: words or a video, and how much care to take.
import { namesAction, withAction } from "../action_search";
import { button, h } from "../dom";
import { clipsOf, motionOptions } from "../motion_options";
import type { Session } from "../session";
import { ActionList } from "./action_list";

export class MovePanel {
  readonly element = h("section", { class: "stack" });
  readonly prompt = h("textarea", {
    rows: "2",
    id: "prompt",
    placeholder: "a fox trots, then sits down",
    "aria-label": "What it should do",
  });
  private readonly quality = select("Quality", ["draft", "standard", "best"], "draft");
  private readonly seconds = h("input", {
    type: "number",
    min: "0.5",
    max: "60",
    step: "0.5",
    value: "2",
    "aria-label": "Seconds",
  });
  private readonly count = select("Candidates", ["1", "2", "3", "4", "6"], "3");
  private readonly seed = h("input", {
    type: "number",
    min: "0",
    step: "1",
    value: "0",
    "aria-label": "Seed",
    title: "Another seed, another motion",
  });
  private readonly loop = h("input", { type: "checkbox", id: "make-loop" });
  private readonly inPlace = h("input", { type: "checkbox", id: "make-in-place" });
  private readonly go: HTMLButtonElement;
  private readonly ideas = h("div", { class: "ideas" });
  private readonly list: ActionList;
  private readonly more = button("+ another clip", () => this.addClip(), {
    kind: "quiet",
    id: "add-clip",
    title: "A pack: a line for each clip, all in one file",
  });
  private readonly hint = h("p", { class: "hint", role: "status" });
  private chosen = ""; // what of the prompt was chosen from a list, and not typed
  private readonly video = h("div", { class: "video" });
  private readonly videoFile = h("input", {
    type: "file",
    accept: "video/*",
    hidden: true,
    change: () => void this.takeVideo(this.videoFile.files?.[0]),
  });
  private videoAsset: { id: string; name: string } | null = null;

  constructor(private readonly session: Session) {
    this.go = button("Make it move", () => this.start(), {
      kind: "primary wide",
      id: "animate",
      title: "Ctrl Enter in the text",
    });
    this.prompt.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.start();
    });
    this.list = new ActionList(session, (action) => this.choose(withAction(this.prompt.value, action, this.wasChosen)));
    this.prompt.addEventListener("input", () => this.showHint());
    this.element.append(
      h("h2", {}, "Move"),
      this.prompt,
      this.hint,
      h("div", { class: "row wrap" }, this.more),
      this.ideas,
      this.list.element,
      this.video,
      this.videoFile,
      h(
        "div",
        { class: "grid2" },
        labelled("Quality", this.quality),
        labelled("Candidates", this.count),
        labelled("Seconds", this.seconds),
        labelled("Seed", this.seed),
      ),
      h("div", { class: "row" }, h("label", {}, this.loop, " Loop"), h("label", {}, this.inPlace, " In place")),
      this.go,
    );
    this.showVideo();
  }

  /** A video to follow, dropped or chosen. */
  async takeVideo(file: File | undefined): Promise<void> {
    if (!file) return;
    const asset = await this.session.attempt(() => this.session.api.upload(file.name, file));
    if (!asset) return;
    this.session.server.takeAsset(asset);
    this.videoAsset = { id: asset.id, name: file.name };
    this.showVideo();
  }

  update(): void {
    const busy = [...this.session.server.jobs.values()].some(
      (job) => job.do === "animate" && (job.state === "running" || job.state === "queued"),
    );
    this.go.disabled = this.session.document.asset === null;
    this.go.textContent = this.session.rigged ? "Make it move" : "Rig and make it move";
    this.go.classList.toggle("busy", busy);
    this.showIdeas(this.session.server.ideas);
    this.list.update();
  }

  /** Opens the list of what limber knows. */
  searchActions(): void {
    this.list.open();
  }

  private get wasChosen(): boolean {
    return this.chosen !== "" && this.prompt.value === this.chosen;
  }

  private choose(prompt: string): void {
    // What followed something that was written is as good as written.
    this.chosen = this.prompt.value.trim() === "" || this.wasChosen ? prompt : "";
    this.prompt.value = prompt;
    this.showHint();
  }

  /** Said while it is typed, and not after a minute of work. */
  private showHint(): void {
    const { actions } = this.session.server;
    const prompt = this.prompt.value.trim();
    const clips = clipsOf(prompt);
    const unknown = clips.find((clip) => clip.includes(" ") && actions.length > 0 && !namesAction(actions, clip));
    const near = unknown ? this.list.nearest(unknown) : null;
    this.hint.classList.toggle("warn", unknown !== undefined);
    this.hint.textContent = unknown
      ? `No action that limber knows is in "${unknown}"${near ? `; "${near}" may be near` : ". The list has all that it knows"}.`
      : clips.length > 1 && !this.videoAsset
        ? `A pack: ${clips.length} clips in one file; what is done over and over becomes a loop.`
        : "";
    this.limit();
  }

  /** Another line, which is another clip. */
  private addClip(): void {
    this.prompt.value = this.prompt.value.replace(/\n*$/, this.prompt.value.trim() ? "\n" : "");
    this.prompt.rows = Math.min(Math.max(this.prompt.value.split("\n").length, 2), 8);
    this.prompt.focus();
    this.showHint();
  }

  /** What has no meaning for a video, or for a pack, cannot be set. */
  private limit(): void {
    const [video, pack] = [this.videoAsset !== null, clipsOf(this.prompt.value).length > 1];
    for (const control of [this.seconds, this.seed]) control.disabled = video;
    this.count.disabled = video || pack;
    this.loop.disabled = !video && pack;
  }

  private showIdeas(ideas: readonly string[]): void {
    if (this.ideas.childElementCount === ideas.length) return; // they do not change
    this.ideas.replaceChildren(
      ...ideas.map((idea) => button(idea.replace(/^it /, ""), () => this.choose(idea), { kind: "idea" })),
    );
  }

  private showVideo(): void {
    this.showHint(); // it takes as long as the video, and nothing is drawn
    if (!this.videoAsset) {
      this.video.replaceChildren(
        button("or follow a video", () => this.videoFile.click(), {
          kind: "quiet",
          title: "Choose a video, or drop one on the page",
        }),
      );
      return;
    }
    const player = h("video", {
      src: this.session.api.fileAddress(this.videoAsset.id),
      muted: true,
      loop: true,
      autoplay: true,
      playsinline: true,
    });
    player.muted = true;
    const remove = button("Do not follow it", () => ((this.videoAsset = null), this.showVideo()), { kind: "quiet" });
    this.video.replaceChildren(
      player,
      h("div", { class: "row" }, h("span", { class: "faint name" }, this.videoAsset.name), remove),
    );
  }

  private start(): void {
    const prompt = this.prompt.value.trim();
    if (!prompt && !this.videoAsset) {
      this.prompt.focus();
      return this.session.say("Say what it should do, for example: it walks. Or choose a video to follow.");
    }
    void this.session.animate(
      motionOptions({
        prompt,
        video: this.videoAsset?.id ?? null,
        quality: this.quality.value,
        seconds: Number(this.seconds.value),
        seed: Number(this.seed.value),
        candidates: Number(this.count.value),
        loop: this.loop.checked,
        inPlace: this.inPlace.checked,
        names: this.session.rigged ? "" : this.session.view.names,
      }),
    );
  }
}

function select(name: string, values: readonly string[], chosen: string): HTMLSelectElement {
  const element = h("select", { "aria-label": name }, ...values.map((value) => h("option", { value }, value)));
  element.value = chosen;
  return element;
}

function labelled(name: string, control: HTMLElement): HTMLElement {
  return h("label", { class: "labelled" }, h("span", {}, name), control);
}
