// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Everything that can be done, once: keyboard and help read this list, panels call it by name.

export interface Command {
  name: string;
  keys: string[]; // as `keyOf` spells them
  group: "Play" | "Pose" | "Look" | "Model";
  help: string;
  run: () => void;
}

/** How a key is spelt: modifiers in a fixed order, letters small. */
export function keyOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">): string {
  const named: Record<string, string> = {
    " ": "Space",
    ArrowLeft: "Left",
    ArrowRight: "Right",
    ArrowUp: "Up",
    ArrowDown: "Down",
    Esc: "Escape",
  };
  let key = named[event.key] ?? event.key;
  // Signs such as ? are typed with Shift, which is then no modifier of its own.
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  if (key.length === 1) key = key.toLowerCase();
  const control = event.ctrlKey || event.metaKey;
  return [control ? "Ctrl+" : "", event.altKey ? "Alt+" : "", event.shiftKey && !isSign ? "Shift+" : "", key].join("");
}

/** Whether what is typed belongs to the element that has the focus. */
function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return key !== "Escape";
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "range", "button"].includes(target.type) && key !== "Escape";
  if (target instanceof HTMLSelectElement) return ["Up", "Down", "Left", "Right", "Space"].includes(key) || key.length === 1;
  return target instanceof HTMLButtonElement && (key === "Space" || key === "Enter");
}

export function listen(commands: readonly Command[]): void {
  const byKey = new Map(commands.flatMap((command) => command.keys.map((key) => [key, command] as const)));
  addEventListener("keydown", (event) => {
    const key = keyOf(event);
    const command = byKey.get(key);
    if (!command || isTyping(event.target, key)) return;
    event.preventDefault();
    command.run();
  });
}
