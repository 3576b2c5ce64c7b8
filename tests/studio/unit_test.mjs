// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The page's types and unit tests, in a folder beside the build, with the packages that the lock file names; page_test.mjs uses them too.
// node unit_test.mjs FOLDER
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const kSkipped = 77; // what ctest takes for a test that was not run
const source = resolve(dirname(fileURLToPath(import.meta.url)), "../../studio/page");
const folder = resolve(process.argv[2] ?? "studio_page_tests");

function run(program, ...words) {
  return spawnSync(program, words, { cwd: folder, stdio: "inherit" }).status ?? 1;
}

mkdirSync(folder, { recursive: true });
rmSync(join(folder, "src"), { recursive: true, force: true });
for (const name of ["src", "package.json", "package-lock.json", "tsconfig.json", "test.mjs"])
  cpSync(join(source, name), join(folder, name), { recursive: true });
const [lock, installed] = [join(folder, "package-lock.json"), join(folder, "installed-lock.json")];
if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(lock))) {
  if (run("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts") !== 0) {
    console.log("skipped: npm cannot fetch the packages of studio/page");
    process.exit(kSkipped);
  }
  copyFileSync(lock, installed);
}
const types = run(process.execPath, "node_modules/typescript/bin/tsc", "--noEmit");
process.exit(types || run(process.execPath, "test.mjs"));
