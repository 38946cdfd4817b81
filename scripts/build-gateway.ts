/**
 * Builds the gateway into dist/gateway: one file per program with its bytecode, so that a start has little to read and nothing to
 * compile.
 */
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
    // Modules that only some gateways need, and rarely. Bundled, they would be in the memory of all.
    external: ["openid-client"],
    // The only format that Bun reads bytecode for.
    format: "cjs",
    bytecode: true,
    // Names are not minified, because stacks show them.
    minify: { whitespace: true, syntax: true },
    sourcemap: "linked",
    define: defineCommit(),
    plugins: [findFromProgram(TARGET)],
  });
  for (const name of PROGRAMS) await leaveOutSources(join(folder, `${name}.js.map`));
}

/** A stack needs only names and lines. The sources would be read into memory with them, at the first error. */
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
  // Each file is replaced atomically, a program after its bytecode: a concurrent start at worst has stale bytecode, and compiles.
  for (const name of PROGRAMS) {
    // Changes during the build belong to the next build: `scripts/install` compares with this time.
    await utimes(join(folder, `${name}.js`), begun, begun);
    for (const file of [`${name}.js.map`, `${name}.js.jsc`, `${name}.js`]) await rename(join(folder, file), join(TARGET, file));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
