/** Builds the gateway into dist/gateway: one file per program with its bytecode, so that a start reads little and compiles nothing. */
import { mkdir, mkdtemp, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { defineCommit } from "./build-commit.ts";
import { findFromProgram } from "./find-from-program.ts";

const ROOT = join(import.meta.dir, "..");
const TARGET = join(ROOT, "dist", "gateway");
/** The programs that `bin/tollgate` runs. */
const PROGRAMS = ["start", "cli"];

async function build(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: PROGRAMS.map((name) => join(ROOT, "src/cli", `${name}.ts`)),
    outdir: folder,
    target: "bun",
    // Modules that only some gateways need, and rarely. In the bundle, they would take memory in every gateway.
    external: ["openid-client"],
    // The only format for which Bun reads bytecode.
    format: "cjs",
    bytecode: true,
    // Names are not minified, because stack traces show them.
    minify: { whitespace: true, syntax: true },
    sourcemap: "linked",
    define: defineCommit(),
    plugins: [findFromProgram(TARGET)],
  });
  for (const name of PROGRAMS) await leaveOutSources(join(folder, `${name}.js.map`));
}

/**
 * Removes the sources from a source map. A stack trace needs only names and lines, and the first error would read the sources into memory.
 */
async function leaveOutSources(path: string): Promise<void> {
  const map = (await Bun.file(path).json()) as { sources: string[] };
  // Bun requires the list, even an empty one.
  await Bun.write(path, JSON.stringify({ ...map, sourcesContent: map.sources.map(() => null) }));
}

const begun = new Date();
await mkdir(TARGET, { recursive: true });
const folder = await mkdtemp(`${TARGET}-`);
try {
  await build(folder);
  // Each file is replaced atomically, a program after its bytecode. A concurrent start finds stale bytecode at worst, and compiles.
  for (const name of PROGRAMS) {
    // Changes during the build belong to the next build: `scripts/install` compares with this time.
    await utimes(join(folder, `${name}.js`), begun, begun);
    for (const file of [`${name}.js.map`, `${name}.js.jsc`, `${name}.js`]) await rename(join(folder, file), join(TARGET, file));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
