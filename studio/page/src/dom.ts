// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Elements in a line each. Text is always set as text: names come from files.

type Child = Node | string | null | false | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as (event: Event) => void);
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== false && c !== undefined));
  return element;
}

const kIcons: Record<string, string> = {
  play: "M5 3.5v9l7.5-4.5z",
  pause: "M4.5 3.5h2.4v9H4.5zM9.1 3.5h2.4v9H9.1z",
  previous: "M4 3.5h1.6v9H4zM12.5 3.5v9L6.2 8z",
  next: "M10.4 3.5H12v9h-1.6zM3.5 3.5v9L9.8 8z",
  pencil: "M11.3 2.6 13.4 4.7 5.6 12.5 3 13l.5-2.6z",
  close: "m4 4.8.8-.8L8 7.2 11.2 4l.8.8L8.8 8l3.2 3.2-.8.8L8 8.8 4.8 12l-.8-.8L7.2 8z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", kIcons[name] ?? "");
  svg.append(path);
  return svg;
}

export interface ButtonOptions {
  title?: string;
  kind?: string;
  disabled?: boolean;
  pressed?: boolean;
  id?: string;
}

export function button(label: Child, onClick: () => void, options: ButtonOptions = {}): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: options.kind ?? "",
      title: options.title,
      "aria-label": typeof label === "string" ? null : options.title,
      "aria-pressed": options.pressed === undefined ? null : String(options.pressed),
      disabled: options.disabled ?? false,
      id: options.id,
      click: () => onClick(),
    },
    label,
  );
}

export function setPressed(element: HTMLElement, pressed: boolean): void {
  element.setAttribute("aria-pressed", String(pressed));
}

export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(0)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
