/**
 * Builds single executables: Bun with both programs, the console, the documents and all other files that are read at runtime.
 *   build-executable.ts             one for each platform, with checksums, into dist/executables
 *   build-executable.ts linux-x64   only for these platforms
 *   build-executable.ts host        for this machine, into dist/executable
 */
import { cp, mkdir, mkdtemp, readdir, rename, rm, utimes } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { downloadRuntimes, isPlatform, PLATFORMS, type Platform, type Runtime } from "./bun-runtimes.ts";
import { defineCommit } from "./build-commit.ts";
import { findFromProgram } from "./find-from-program.ts";
import { thirdPartyLicenses } from "./release/third-party-licenses.ts";

const ROOT = join(import.meta.dir, "..");
const DIST = join(ROOT, "dist");
const PROGRAM = "src/cli/executable.ts";
const THREADS = ["src/stores/ledger/commit/checkpoint-thread.ts", "src/stores/request-log/bodies/redaction-worker.ts"];
/** The files that are read at runtime, and the documents, by their paths in the repository. */
const FILES = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "dist/console",
  "docs",
  "openapi/gateway.json",
  "openapi/gateway-with-endpoints.json",
  "openapi/platform.json",
  "src/models/prices/default-prices.LICENSE",
  "src/models/prices/default-prices.json",
];

/** Copies the files into a folder with the layout of the repository: Bun embeds folders as they are. */
async function gatherFiles(folder: string): Promise<string[]> {
  for (const path of FILES) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await rm(join(folder, "docs/images"), { recursive: true, force: true });
  await Bun.write(join(folder, "dist/third-party-licenses.txt"), thirdPartyLicenses(ROOT));
  return (await readdir(folder)).toSorted().map((name) => join(folder, name));
}

/** Builds in a separate folder, where Bun leaves source maps. */
async function build(outfile: string, assets: readonly string[], runtime: Runtime | undefined): Promise<void> {
  const folder = await mkdtemp(`${outfile}-`);
  try {
    // The executable contains the name of this file.
    const built = join(folder, "tollgate");
    await Bun.build({
      entrypoints: [PROGRAM, ...THREADS].map((path) => join(ROOT, path)),
      root: ROOT,
      target: "bun",
      format: "esm",
      // Modules that only some gateways need are loaded on demand.
      splitting: true,
      bytecode: true,
      // Names are not minified, because stack traces show them.
      minify: { whitespace: true, syntax: true },
      sourcemap: "linked",
      define: defineCommit(),
      compile: { outfile: built, assets: [...assets], autoloadBunfig: false, ...runtime },
      plugins: [findFromProgram(ROOT)],
    });
    await rename(built, outfile);
    process.stdout.write(`${relative(ROOT, outfile)}  ${(Bun.file(outfile).size / 1e6).toFixed(0)} MB\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function buildForHost(assets: readonly string[]): Promise<void> {
  const outfile = join(DIST, "executable", "tollgate");
  const startedAt = new Date();
  await mkdir(dirname(outfile), { recursive: true });
  await build(outfile, assets, undefined);
  // The start time: `scripts/install` rebuilds when a source file is newer, even one that changed during this build.
  await utimes(outfile, startedAt, startedAt);
}

async function buildFor(platforms: readonly Platform[], assets: readonly string[], folder: string): Promise<void> {
  const target = join(DIST, "executables");
  await mkdir(target, { recursive: true });
  const runtimes = await downloadRuntimes(platforms, folder);
  for (const [platform, runtime] of runtimes) await build(join(target, `tollgate-${platform}`), assets, runtime);
  const names = (await readdir(target)).filter((name) => name.startsWith("tollgate-")).toSorted();
  const lines = names.map(async (name) => `${await digest(join(target, name))}  ${name}\n`);
  await Bun.write(join(target, "SHA256SUMS"), (await Promise.all(lines)).join(""));
}

async function digest(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest("hex");
}

const args = process.argv.slice(2);
const unknown = args.find((word) => word !== "host" && !isPlatform(word));
if (unknown !== undefined || (args.includes("host") && args.length > 1)) {
  process.stderr.write(`Usage: build-executable.ts [host | ${PLATFORMS.join(" ")}]\n`);
  process.exit(2);
}
await mkdir(DIST, { recursive: true });
const folder = await mkdtemp(join(DIST, "executable-files-"));
try {
  const assets = await gatherFiles(join(folder, "embedded"));
  if (args[0] === "host") await buildForHost(assets);
  else await buildFor(args.length === 0 ? PLATFORMS : args.filter(isPlatform), assets, folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
