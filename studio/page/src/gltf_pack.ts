// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// A .gltf and the files that it names, as one GLB.
import { decoded, FileSetError, findFile, nameOf, type NamedFile } from "./file_set";

interface Gltf {
  buffers?: { uri?: string; byteLength: number }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; extensions?: Record<string, { buffer?: number; byteOffset?: number }> }[];
  images?: { uri?: string; bufferView?: number; mimeType?: string }[];
}

/** Bytes end to end, each beginning at a multiple of four. */
class Chunk {
  readonly parts: BlobPart[] = [];
  length = 0;

  /** Where the bytes begin. */
  add(bytes: Uint8Array): number {
    const at = this.length;
    const padding = (4 - (bytes.length % 4)) % 4;
    this.parts.push(bytes as Uint8Array<ArrayBuffer>, new Uint8Array(padding));
    this.length += bytes.length + padding;
    return at;
  }
}

export async function packGltf(file: NamedFile, all: readonly NamedFile[]): Promise<Blob> {
  const name = nameOf(file.path);
  const gltf = await readGltf(name, file.bytes);
  const read = async (uri: string): Promise<Uint8Array> => {
    if (/^data:/i.test(uri)) return fromData(name, uri);
    if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(uri)) throw new FileSetError(`${name} names a file on the net: ${uri}. Nothing is fetched from there.`);
    const found = findFile(all, file.path, uri);
    if (!found) throw new FileSetError(`${name} names ${nameOf(decoded(uri))}, which is not here. Choose them together, or their folder or .zip.`);
    return new Uint8Array(await found.bytes.arrayBuffer());
  };

  const chunk = new Chunk();
  const starts: number[] = []; // of the old buffers in the new one; -1: it has no bytes, as of compressed meshes
  const kept: NonNullable<Gltf["buffers"]> = [];
  for (const buffer of gltf.buffers ?? []) {
    if (buffer.uri === undefined) {
      starts.push(-1 - kept.push(buffer));
      continue;
    }
    const bytes = await read(buffer.uri);
    if (bytes.length < buffer.byteLength) throw new FileSetError(`${name}: a file that it names is shorter than it says.`);
    starts.push(chunk.add(bytes));
  }
  const move = (view: { buffer?: number; byteOffset?: number }): void => {
    const start = view.buffer === undefined ? undefined : starts[view.buffer];
    if (start === undefined) return;
    if (start < 0) view.buffer = -1 - start;
    else [view.buffer, view.byteOffset] = [0, (view.byteOffset ?? 0) + start];
  };
  for (const view of gltf.bufferViews ?? []) {
    move(view);
    for (const extension of Object.values(view.extensions ?? {})) move(extension);
  }
  for (const image of gltf.images ?? []) {
    if (image.uri === undefined) continue;
    const bytes = await read(image.uri);
    image.mimeType ??= pictureType(bytes);
    gltf.bufferViews = [...(gltf.bufferViews ?? []), { buffer: 0, byteOffset: chunk.add(bytes), byteLength: bytes.length }];
    image.bufferView = gltf.bufferViews.length - 1;
    delete image.uri;
  }
  if (chunk.length > 0 || kept.length > 0) gltf.buffers = [{ byteLength: chunk.length }, ...kept];
  return glbOf(gltf, chunk);
}

async function readGltf(name: string, file: Blob): Promise<Gltf> {
  try {
    const gltf: unknown = JSON.parse(await file.text());
    if (typeof gltf === "object" && gltf !== null && !Array.isArray(gltf)) return gltf;
  } catch {
    // told below
  }
  throw new FileSetError(`${name} is no glTF.`);
}

function fromData(name: string, uri: string): Uint8Array {
  const match = /^data:[^,]*;base64,(.*)$/is.exec(uri);
  try {
    if (match) return Uint8Array.from(atob(match[1]!), (c) => c.charCodeAt(0));
  } catch {
    // told below
  }
  throw new FileSetError(`${name} has data that cannot be read.`);
}

function pictureType(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return "image/jpeg";
  if (bytes[0] === 0x52 && bytes[8] === 0x57) return "image/webp";
  return "image/png";
}

function glbOf(gltf: Gltf, binary: Chunk): Blob {
  const text = new TextEncoder().encode(JSON.stringify(gltf));
  const json = new Uint8Array(Math.ceil(text.length / 4) * 4).fill(0x20);
  json.set(text);
  const head = (...numbers: number[]): Uint8Array<ArrayBuffer> => {
    const bytes = new Uint8Array(numbers.length * 4);
    numbers.forEach((x, i) => new DataView(bytes.buffer).setUint32(i * 4, x, true));
    return bytes;
  };
  const rest = binary.length > 0 ? [head(binary.length, 0x004e4942), ...binary.parts] : [];
  const length = 20 + json.length + (binary.length > 0 ? 8 + binary.length : 0);
  return new Blob([head(0x46546c67, 2, length, json.length, 0x4e4f534a), json, ...rest]);
}
