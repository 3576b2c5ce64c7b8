// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The Khronos validator's errors and warnings about GLB files, as JSON: {file: [{code, severity, pointer, message}]}.
// node validate.mjs FILE...
import { readFileSync } from "node:fs";
import validator from "gltf-validator";

const report = {};
for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(readFileSync(file));
  const { issues } = await validator.validateBytes(bytes, { uri: file, maxIssues: 1000 });
  report[file] = issues.messages.filter((m) => m.severity <= 1); // 0: error, 1: warning
}
console.log(JSON.stringify(report));
