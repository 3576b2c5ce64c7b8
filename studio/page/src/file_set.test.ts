// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { cleanPath, crc32, findFile, unzip, type NamedFile } from "./file_set";
import { packGltf } from "./gltf_pack";

interface Entry {
  name: string;
  bytes: Buffer;
  size?: number; // what it says that it has
  flags?: number;
  stored?: boolean;
}

function zip(entries: Entry[]): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, size = bytes.length, flags = 0, stored = false } of entries) {
    const packed = stored ? bytes : deflateRawSync(bytes);
    const common = Buffer.alloc(26); // both heads have it
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(stored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    list.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, rest, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(list).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, ...list, end]);
}

const kLimits = { files: 5, bytes: 10000 };
const opened = (bytes: Buffer, limits = kLimits): Promise<NamedFile[]> =>
  unzip("fox.zip", new Blob([bytes as Buffer<ArrayBuffer>]), limits);
const words = Buffer.from("a fox trots ".repeat(40));

test("a .zip gives its files, and nothing of folders or of other systems' notes", async () => {
  const files = await opened(
    zip([
      { name: "scene.gltf", bytes: words },
      { name: "textures/", bytes: Buffer.alloc(0), stored: true },
      { name: "textures\\a.png", bytes: words, stored: true },
      { name: "__MACOSX/scene.gltf", bytes: words },
    ]),
  );
  assert.deepEqual(files.map(({ path }) => path), ["scene.gltf", "textures/a.png"]);
  for (const { bytes } of files) assert.equal(await bytes.text(), words.toString());
});

test("a path that leads out is no file", async () => {
  for (const path of ["../x", "a/../../x", "/etc/passwd", "C:\\x", "..\\x", "a\0b", ""]) assert.equal(cleanPath(path), null, path);
  assert.equal(cleanPath("./a//b/../c.png"), "a/c.png");
  assert.deepEqual(await opened(zip([{ name: "../../evil.glb", bytes: words }, { name: "/evil.glb", bytes: words }])), []);
});

test("a .zip that is damaged, locked or too much is refused in words", async () => {
  const good = zip([{ name: "a", bytes: words }]);
  const refused = (bytes: Buffer, why: RegExp): Promise<void> => assert.rejects(opened(bytes), why);
  await refused(good.subarray(0, good.length - 30), /no whole/);
  await refused(Buffer.from("PK"), /no whole/);
  await refused(zip([{ name: "a", bytes: words, flags: 1 }]), /password/);
  await refused(zip([{ name: "a", bytes: Buffer.alloc(20000) }]), /too large/);
  await refused(zip([{ name: "a", bytes: Buffer.alloc(6000) }, { name: "b", bytes: Buffer.alloc(6000) }]), /too large/);
  // A bomb that says that it is small.
  await refused(zip([{ name: "a", bytes: Buffer.alloc(1 << 22), size: 100 }]), /damaged/);
  await refused(zip([..."abcdef"].map((name) => ({ name, bytes: words }))), /the most/);
  for (let i = 0; i < good.length; i += 7) {
    const bent = Buffer.from(good);
    bent[i]! ^= 0xff;
    await opened(bent).catch((error: Error) => assert.equal(error.constructor.name, "FileSetError", `${i}: ${error.message}`));
  }
});

test("a file is found beside the one that names it, and by its name alone only where one is called so", () => {
  const files = ["m/scene.gltf", "m/t/skin.png", "other/SCENE.bin", "a/x.png", "b/x.png"].map((path) => ({ path, bytes: new Blob() }));
  assert.equal(findFile(files, "m/scene.gltf", "t/skin.png")?.path, "m/t/skin.png");
  assert.equal(findFile(files, "m/scene.gltf", "./t/my%20skin.png"), null);
  assert.equal(findFile(files, "m/scene.gltf", "scene.bin")?.path, "other/SCENE.bin");
  assert.equal(findFile(files, "m/scene.gltf", "x.png"), null);
  assert.equal(findFile(files, "m/scene.gltf", "../../../etc/passwd"), null);
});

const kGltf = {
  asset: { version: "2.0" },
  buffers: [
    { uri: "one.bin", byteLength: 5 },
    { uri: "data:application/octet-stream;base64,BwgJ", byteLength: 3 },
  ],
  bufferViews: [
    { buffer: 0, byteLength: 5 },
    { buffer: 1, byteOffset: 1, byteLength: 2 },
  ],
  images: [{ uri: "t/a.jpg" }],
};
const file = (path: string, bytes: string | Uint8Array): NamedFile => ({ path, bytes: new Blob([bytes as string]) });

test("a .gltf and its files become one GLB", async () => {
  const files = [
    file("m/scene.gltf", JSON.stringify(kGltf)),
    file("m/one.bin", Uint8Array.of(1, 2, 3, 4, 5)),
    file("m/t/a.jpg", Uint8Array.of(0xff, 0xd8, 1)),
  ];
  const glb = Buffer.from(await (await packGltf(files[0]!, files)).arrayBuffer());
  assert.equal(glb.toString("latin1", 0, 4), "glTF");
  assert.equal(glb.readUInt32LE(8), glb.length);
  const length = glb.readUInt32LE(12);
  const gltf = JSON.parse(glb.toString("utf8", 20, 20 + length)) as typeof kGltf & { images: { bufferView: number; mimeType: string }[] };
  const binary = glb.subarray(28 + length);
  const slices = gltf.bufferViews.map(({ buffer, byteOffset = 0, byteLength }) => {
    assert.equal(buffer, 0);
    return [...binary.subarray(byteOffset, byteOffset + byteLength)];
  });
  assert.deepEqual(slices, [[1, 2, 3, 4, 5], [8, 9], [0xff, 0xd8, 1]]);
  assert.deepEqual(gltf.images, [{ mimeType: "image/jpeg", bufferView: 2 }]);
  assert.deepEqual(gltf.buffers, [{ byteLength: binary.length }]);
});

test("a .gltf that names what is not there, or is on the net, is refused in words", async () => {
  const scene = file("scene.gltf", JSON.stringify(kGltf));
  await assert.rejects(packGltf(scene, [scene]), /names one.bin, which is not here/);
  const far = file("scene.gltf", JSON.stringify({ buffers: [{ uri: "https://x.org/a.bin", byteLength: 1 }] }));
  await assert.rejects(packGltf(far, [far]), /on the net/);
  const short = file("scene.gltf", JSON.stringify(kGltf));
  await assert.rejects(packGltf(short, [short, file("one.bin", "a")]), /shorter/);
  const no = file("scene.gltf", "[]");
  await assert.rejects(packGltf(no, [no]), /no glTF/);
});
