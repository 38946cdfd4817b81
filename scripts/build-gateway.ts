/** Builds the gateway into dist/gateway: one file for each program, and its bytecode beside it, so that a start has little to read and nothing to compile. */
import { mkdir, mkdtemp, rename, rm, utimes } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..");
const TARGET = join(ROOT, "dist", "gateway");
/** What `bin/tollgate` runs. */
const PROGRAMS = ["start", "cli"];

/** The bundler would write out where a file is on the machine that builds. What lies beside a file is found from the program instead. */
const findFromProgram: Bun.BunPlugin = {
  name: "find from the program",
  setup(bundler) {
    bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const contents = text
        .replaceAll("import.meta.dir", placeOf(dirname(path)))
        .replaceAll("import.meta.url", `Bun.pathToFileURL(${placeOf(path)}).href`);
      return { contents, loader: "ts" };
    });
  },
};

function placeOf(path: string): string {
  return `\`\${Bun.main}/../${relative(TARGET, path)}\``;
}

async function build(folder: string): Promise<void> {
  await Bun.build({
    entrypoints: PROGRAMS.map((name) => join(ROOT, "src/cli", `${name}.ts`)),
    outdir: folder,
    target: "bun",
    // What only some gateways need, and then once in a while. Bundled it would be in the memory of all of them.
    external: ["openid-client"],
    // The only one that Bun reads bytecode for.
    format: "cjs",
    bytecode: true,
    // Names stay as they are: stacks show them.
    minify: { whitespace: true, syntax: true },
    sourcemap: "linked",
    plugins: [findFromProgram],
  });
  for (const name of PROGRAMS) await leaveOutSources(join(folder, `${name}.js.map`));
}

/** A stack needs names and lines alone. The text would be read into memory with them, at the first error. */
async function leaveOutSources(path: string): Promise<void> {
  const map = (await Bun.file(path).json()) as { sources: string[] };
  // Bun wants the list, if only of nothing.
  await Bun.write(path, JSON.stringify({ ...map, sourcesContent: map.sources.map(() => null) }));
}

const begun = new Date();
await mkdir(TARGET, { recursive: true });
const folder = await mkdtemp(`${TARGET}-`);
try {
  await build(folder);
  // Each in one step, a program after what belongs to it: whoever starts meanwhile has bytecode that does not fit, at the worst, and compiles.
  for (const name of PROGRAMS) {
    // What is changed while it is built is in the next build: `scripts/install` goes by this time.
    await utimes(join(folder, `${name}.js`), begun, begun);
    for (const file of [`${name}.js.map`, `${name}.js.jsc`, `${name}.js`]) await rename(join(folder, file), join(TARGET, file));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
