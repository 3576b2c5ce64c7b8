// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What of many files is to be opened: models, each as one file, and videos.
import { nameOf, unzip, type Limits, type NamedFile } from "./file_set";
import { packGltf } from "./gltf_pack";

const kModel = /\.(glb|gltf|fbx|obj|ply|stl|dae|bvh)$/i;
const kVideo = /\.(mp4|mov|webm|mkv|avi|m4v|gif)$/i;
const kZip = /\.zip$/i;
const kMostModels = 8; // that are opened at once

export interface SortedFiles {
  models: NamedFile[];
  videos: NamedFile[];
  left: string; // what is not opened, in words
}

export async function sortFiles(dropped: readonly NamedFile[], limits: Limits): Promise<SortedFiles> {
  const files: NamedFile[] = [];
  for (const file of dropped) {
    if (kZip.test(file.path)) files.push(...(await unzip(nameOf(file.path), file.bytes, limits)));
    else files.push(file);
  }
  const found = files.filter(({ path }) => kModel.test(path));
  const models: NamedFile[] = [];
  for (const file of found.slice(0, kMostModels)) {
    if (!/\.gltf$/i.test(file.path)) models.push(file);
    else models.push({ path: file.path.replace(/gltf$/i, "glb"), bytes: await packGltf(file, files) });
  }
  const videos = files.filter(({ path, bytes }) => kVideo.test(path) || bytes.type.startsWith("video/"));
  return { models, videos, left: leftWords(dropped, found.length, videos.length) };
}

function leftWords(dropped: readonly NamedFile[], models: number, videos: number): string {
  if (models > kMostModels) return `There are ${models} models here; the first ${kMostModels} are open.`;
  if (models + videos > 0 || dropped.length === 0) return "";
  const one = dropped.length === 1 ? nameOf(dropped[0]!.path) : "";
  if (one && !kZip.test(one)) return `${one} is neither a model (GLB, glTF, FBX, OBJ, PLY, STL, DAE) nor a video.`;
  return `There is no model (GLB, glTF, FBX, OBJ, PLY, STL, DAE) ${one ? `in ${one}` : "among these files"}.`;
}
