// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Runs the unit tests: src/**/*.test.ts, bundled for node (which from 18 on has node:test, but reads no TypeScript).
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "limber-studio-"));
try {
  const tests = readdirSync(join(here, "src")).filter((name) => name.endsWith(".test.ts"));
  const bundle = join(scratch, "tests.mjs");
  // One program: a process a file costs more than all the tests.
  await build({
    stdin: { contents: tests.map((name) => `import "./src/${name}";`).join("\n"), resolveDir: here, loader: "ts" },
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    logLevel: "warning",
  });
  process.exitCode = spawnSync(process.execPath, [bundle], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
