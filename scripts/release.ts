/**
 * Prepares a release, except for its publication: states the version, dates the changes, and makes the package, the executables, the SBOM,
 * the list of dependencies, the notes and the checksums in dist/release. Run with the next version: npm run release -- 1.2.3
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version as current } from "../package.json" with { type: "json" };
import { billOfMaterials } from "./release/bill-of-materials.ts";
import { releaseChanges } from "./release/changelog.ts";
import type { Lockfile } from "./release/lockfile.ts";
import { refuseEarlierVersion, VERSIONED_FILES, withVersion } from "./release/version.ts";

const ROOT = join(import.meta.dir, "..");
const TARGET = join(ROOT, "dist", "release");
const EXECUTABLES = join(ROOT, "dist", "executables");
const CHANGES = "CHANGELOG.md";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const write = (file: string, text: string): void => writeFileSync(join(ROOT, file), text);

function run(...command: readonly string[]): string {
  const { exitCode, stdout } = Bun.spawnSync([...command], { cwd: ROOT, stderr: "inherit" });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed`);
  return stdout.toString();
}

function prepare(version: string): string {
  refuseEarlierVersion(current, version);
  if (run("git", "status", "--porcelain") !== "") throw new Error("there are changes that are not committed");
  const { changelog, notes } = releaseChanges(read(CHANGES), version, new Date().toISOString().slice(0, 10));
  const texts = withVersion(new Map(VERSIONED_FILES.map((file) => [file, read(file)])), current, version);
  for (const [file, text] of texts) write(file, text);
  write(CHANGES, changelog);
  return notes;
}

function make(version: string, notes: string): void {
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  run("npm", "pack", "--silent", `--pack-destination=${TARGET}`);
  run("npm", "run", "--silent", "build:executable");
  for (const name of readdirSync(EXECUTABLES).filter((file) => file.startsWith("tollgate-"))) {
    copyFileSync(join(EXECUTABLES, name), join(TARGET, name.replace("tollgate-", `tollgate-${version}-`)));
  }
  const bill = billOfMaterials(JSON.parse(read("package-lock.json")) as Lockfile, new Date());
  writeFileSync(join(TARGET, `tollgate-${version}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`);
  copyFileSync(join(ROOT, "docs/dependencies.md"), join(TARGET, "DEPENDENCIES.md"));
  writeFileSync(join(TARGET, "NOTES.md"), notes);
  const sums = readdirSync(TARGET)
    .toSorted()
    .map((name) => `${checksumOf(join(TARGET, name))}  ${name}\n`);
  writeFileSync(join(TARGET, "SHA256SUMS"), sums.join(""));
}

function checksumOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function main(version: string | undefined): void {
  if (version === undefined) throw new Error(`which version? The current one is ${current}: npm run release -- X.Y.Z`);
  make(version, prepare(version));
  process.stdout.write(`${readFileSync(join(TARGET, "SHA256SUMS"), "utf8")}
dist/release has all files of ${version}. Nothing is committed or published:

git commit -am 'release: ${version}' && git tag v${version}
npm publish dist/release/tollgate-${version}.tgz
`);
}

try {
  main(process.argv[2]);
} catch (error) {
  process.stderr.write(`release: ${(error as Error).message}\n`);
  process.exit(1);
}
