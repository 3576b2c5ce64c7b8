// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What the test of the page drops, and how it judges what it sees.

/** A GLB as a .gltf and the file that it names. */
export function apart(glb) {
  const length = glb.readUInt32LE(12);
  const gltf = JSON.parse(glb.toString("utf8", 20, 20 + length));
  gltf.buffers[0].uri = "my%20scene.bin";
  return [Buffer.from(JSON.stringify(gltf)), glb.subarray(28 + length)];
}

/** A .zip of files as they are. */
export function zip(files) {
  const crc = (bytes) => {
    let c = ~0;
    for (const byte of bytes) {
      c ^= byte;
      for (let k = 0; k < 8; ++k) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c >>> 0;
  };
  const word = ([value, size]) => {
    const bytes = Buffer.alloc(size);
    bytes.writeUIntLE(value, 0, size);
    return bytes;
  };
  const words = (...list) => Buffer.concat(list.map(word));
  const [parts, entries] = [[], []];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const common = words([20, 2], [0, 4], [0, 4], [crc(bytes), 4], [bytes.length, 4], [bytes.length, 4], [name.length, 2], [0, 2]);
    parts.push(Buffer.from("PK\x03\x04"), common, Buffer.from(name), bytes);
    entries.push(Buffer.from("PK\x01\x02\x14\x00"), common, words([0, 2], [0, 4], [0, 4], [at, 4]), Buffer.from(name));
    at += 30 + name.length + bytes.length;
  }
  const list = Buffer.concat(entries);
  const count = parts.length / 4;
  const end = words([0, 4], [count, 2], [count, 2], [list.length, 4], [at, 4], [0, 2]);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06"), end]);
}

/** What is written with less than 4.5 to 1 upon its ground (3 to 1 where it is large); what cannot be pressed may be fainter. */
export const faintWords = (page) =>
  page.evaluate(() => {
    const channels = (color) => {
      const numbers = color.match(/[\d.]+/g).map(Number);
      return color.startsWith("color(srgb") ? numbers.map((x, i) => (i < 3 ? x * 255 : x)) : numbers;
    };
    const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    const found = [];
    const words = document.createTreeWalker(document.getElementById("app"), NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
      const element = words.currentNode.parentElement;
      const text = words.currentNode.textContent.trim();
      if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (element.closest(":disabled, .off, option, label:has(:disabled)")) continue;
      let ground = null;
      for (let e = element; e && !ground; e = e.parentElement) {
        const color = channels(getComputedStyle(e).backgroundColor);
        if ((color[3] ?? 1) > 0.85) ground = color;
      }
      const style = getComputedStyle(element);
      const [a, b] = [luminance(channels(style.color)), luminance(ground)];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const large = parseFloat(style.fontSize) >= 24;
      if (ratio < (large ? 3 : 4.5)) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return found;
  });

/** Controls of which a screen reader could say nothing. */
export const namelessControls = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, input:not([hidden]), select, textarea, canvas, dialog")]
      .filter((e) => !(e.textContent.trim() && e.tagName === "BUTTON") && !e.getAttribute("aria-label") && !e.labels?.length && !e.hidden)
      .map((e) => e.outerHTML.slice(0, 100)),
  );
