// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Builds the page: index.html, app.js, app.css and notices.txt, each also gzipped.
// node build.mjs [OUT]     or STUDIO_OUT=OUT npm run build; without either into dist/ beside this file.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? process.env.STUDIO_OUT ?? join(here, "dist"));
mkdirSync(out, { recursive: true });

const result = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  legalComments: "none", // the licences are in notices.txt, whole
  metafile: true,
  logLevel: "warning",
});
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/app.css" },
  outdir: out,
  bundle: true,
  minify: true,
  logLevel: "warning",
});
copyFileSync(join(here, "index.html"), join(out, "index.html"));
writeFileSync(join(out, "notices.txt"), notices(bundledPackages(result.metafile)));

for (const name of ["index.html", "app.js", "app.css", "notices.txt"]) {
  // Level 9 and no time stamp: the same page gives the same bytes.
  writeFileSync(join(out, `${name}.gz`), gzipSync(readFileSync(join(out, name)), { level: 9 }));
}

/** Folders of the npm packages of which the bundle holds any code. */
function bundledPackages(metafile) {
  const folders = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) folders.add(match[1]);
  }
  return [...folders].sort();
}

/** The licence of every bundled package, word for word; a package without one stops the build. */
function notices(folders) {
  const parts = ["The page of limber studio contains code of these packages.\n"];
  for (const folder of folders) {
    const root = resolve(here, folder);
    const { name, version, license, homepage } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = readdirSync(root).find((f) => /^licen[cs]e/i.test(f));
    if (!file || !existsSync(join(root, file))) throw new Error(`${name} has no licence file: it must not be bundled`);
    const text = readFileSync(join(root, file), "utf8").trim();
    parts.push(`${"-".repeat(78)}\n${name} ${version} (${license})${homepage ? `\n${homepage}` : ""}\n\n${text}\n`);
  }
  return parts.join("\n");
}
