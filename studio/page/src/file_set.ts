// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Files that belong together: chosen at once, in a folder, or in a .zip. Names are looked up among them and nowhere else.

export interface NamedFile {
  path: string; // with slashes, of what was dropped
  bytes: Blob;
}

export interface Limits {
  files: number;
  bytes: number; // of all together, unpacked
}

/** What is wrong with what somebody dropped, in words for them. */
export class FileSetError extends Error {}

/** A path without what leads nowhere; null where it leads out, or is of a machine's root. */
export function cleanPath(path: string): string | null {
  const parts: string[] = [];
  const slashed = path.replace(/\\/g, "/");
  if (slashed.startsWith("/") || /^[a-z]+:/i.test(slashed) || slashed.includes("\0")) return null;
  for (const part of slashed.split("/")) {
    if (part === "..") {
      if (parts.length === 0) return null;
      parts.pop();
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.length > 0 ? parts.join("/") : null;
}

export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What a URI calls a file: in glTF a space is %20. */
export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri).replace(/\\/g, "/");
  } catch {
    return uri.replace(/\\/g, "/");
  }
}

/** The file that another one names; by its name alone where the folders do not fit and only one is called so. */
export function findFile(files: readonly NamedFile[], from: string, uri: string): NamedFile | null {
  const wanted = decoded(uri);
  const path = cleanPath(folderOf(from) + wanted);
  const exact = path === null ? undefined : files.find((file) => file.path === path);
  if (exact) return exact;
  const name = nameOf(wanted).toLowerCase();
  const called = files.filter((file) => nameOf(file.path).toLowerCase() === name);
  return called.length === 1 ? called[0]! : null;
}

// --- .zip ---

const kEnd = 0x06054b50;
const kEntry = 0x02014b50;
const kLocal = 0x04034b50;

/** The files of a .zip. All that it says of itself is checked: it comes from anywhere. */
export async function unzip(name: string, archive: Blob, limits: Limits): Promise<NamedFile[]> {
  const data = new Uint8Array(await archive.arrayBuffer());
  const view = new DataView(data.buffer);
  const broken = (why: string): FileSetError => new FileSetError(`${name} ${why}`);
  const end = findEnd(view);
  if (end < 0) throw broken("is no whole .zip");
  const count = view.getUint16(end + 10, true);
  if (count === 0xffff || view.getUint32(end + 16, true) === 0xffffffff) throw broken("is larger than this page unpacks: unpack it and choose the folder");
  if (count > limits.files) throw broken(`has ${count} files; ${limits.files} are the most`);
  const files: NamedFile[] = [];
  let at = view.getUint32(end + 16, true);
  let room = limits.bytes;
  try {
    for (let i = 0; i < count; ++i) {
      if (view.getUint32(at, true) !== kEntry) throw broken("is damaged");
      const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
      const [packed, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
      const [nameLength, extra, comment] = [28, 30, 32].map((k) => view.getUint16(at + k, true)) as [number, number, number];
      const local = view.getUint32(at + 42, true);
      const path = new TextDecoder().decode(data.subarray(at + 46, at + 46 + nameLength));
      const check = view.getUint32(at + 16, true);
      at += 46 + nameLength + extra + comment;
      const clean = cleanPath(path);
      if (path.endsWith("/") || clean === null || clean.startsWith("__MACOSX/")) continue;
      if (flags & 1) throw broken("has a password: unpack it first");
      if (size > room) throw broken("is too large when it is unpacked");
      if (view.getUint32(local, true) !== kLocal) throw broken("is damaged");
      const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
      if (start + packed > data.length) throw broken("is damaged");
      const bytes = data.subarray(start, start + packed);
      if (method !== 0 && method !== 8) throw broken("is packed in a way that this page does not know: unpack it first");
      const plain = method === 0 ? bytes : await inflate(bytes, size);
      if (plain === null || plain.length !== size || crc32(plain) !== check) throw broken("is damaged");
      room -= size;
      files.push({ path: clean, bytes: new Blob([plain as Uint8Array<ArrayBuffer>]) });
    }
  } catch (error) {
    throw error instanceof RangeError ? broken("is damaged") : error; // read beyond its end
  }
  return files;
}

function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 0xffff); --at)
    if (view.getUint32(at, true) === kEnd) return at;
  return -1;
}

/** Null where it is damaged, or longer than it says: what would go on for ever is stopped there. */
async function inflate(packed: Uint8Array, size: number): Promise<Uint8Array | null> {
  const plain = new Uint8Array(size);
  const reader = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return length === size ? plain : null;
      if (length + value.length > size) {
        await reader.cancel();
        return null;
      }
      plain.set(value, length);
      length += value.length;
    }
  } catch {
    return null;
  }
}

let crcTable: Uint32Array | null = null;

export function crc32(bytes: Uint8Array): number {
  crcTable ??= Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c;
  });
  let c = 0xffffffff;
  for (const byte of bytes) c = crcTable[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

// --- folders ---

/** What was dropped, with the files of its folders. Asked of the browser at once: afterwards it has forgotten. */
export async function droppedFiles(transfer: DataTransfer | null, limits: Limits): Promise<NamedFile[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  const plain = [...(transfer?.files ?? [])].map((file) => ({ path: file.name, bytes: file }));
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found: NamedFile[] = [];
  const walk = async (entry: FileSystemEntry | null): Promise<void> => {
    if (found.length > limits.files) throw new FileSetError(`There are more than ${limits.files} files in this folder.`);
    if (entry?.isFile) {
      const file = await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed));
      found.push({ path: cleanPath(entry.fullPath.replace(/^\/+/, "")) ?? file.name, bytes: file });
    } else if (entry?.isDirectory) {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      for (;;) {
        // A hundred at a time.
        const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
        if (some.length === 0) break;
        for (const one of some) await walk(one);
      }
    }
  };
  for (const entry of entries) await walk(entry);
  return found;
}
