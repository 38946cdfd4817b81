/** Builds the console into dist/console: files with content hashes in their names, plus gzip and Brotli versions. */
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, utimes } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { compile, optimize } from "@tailwindcss/node";
import { Scanner } from "@tailwindcss/oxide";
import { buildDocs } from "./docs/build-docs.ts";

const SOURCE = join(import.meta.dir, "src");
const TARGET = join(import.meta.dir, "..", "dist", "console");
/** The console, and the page for holders of keys. */
const PAGES = ["index.html", "key.html"];
const FONTS = [
  "@fontsource-variable/geist/files/geist-latin-wght-normal.woff2",
  "@fontsource-variable/geist-mono/files/geist-mono-latin-wght-normal.woff2",
];

/** The content hash in the name makes the file immutable in browser caches. */
function writeHashed(folder: string, name: string, contents: string | Uint8Array): string {
  const extension = extname(name);
  const hashed = `${basename(name, extension)}-${Bun.hash(contents).toString(36)}${extension}`;
  writeFileSync(join(folder, hashed), contents);
  return hashed;
}

async function buildScript(folder: string, name: string, options: Partial<Bun.BuildConfig>): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(SOURCE, name)],
    outdir: folder,
    naming: { entry: "[name]-[hash].[ext]", chunk: "part-[hash].[ext]" },
    target: "browser",
    minify: true,
    ...options,
    define: { "process.env.NODE_ENV": '"production"', ...options.define },
  });
  return basename(outputs.find(({ kind }) => kind === "entry-point")!.path);
}

async function buildStyle(folder: string): Promise<string> {
  const compiler = await compile(await Bun.file(join(SOURCE, "style.css")).text(), { base: SOURCE, onDependency() {} });
  const used = new Scanner({ sources: [{ base: SOURCE, pattern: "**/*.{ts,tsx}", negated: false }] }).scan();
  let { code } = optimize(compiler.build(used), { minify: true });
  for (const font of FONTS) {
    const contents = await Bun.file(Bun.resolveSync(font, SOURCE)).bytes();
    code = code.replaceAll(basename(font), writeHashed(folder, basename(font), contents));
  }
  return writeHashed(folder, "style.css", code);
}

async function compress(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/\.(woff2|png)$/.test(name)) continue;
    const contents = await Bun.file(join(folder, name)).bytes();
    await Bun.write(join(folder, `${name}.gz`), gzipSync(contents, { level: 9 }));
    await Bun.write(
      join(folder, `${name}.br`),
      brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } }),
    );
  }
}

async function build(folder: string): Promise<void> {
  const assets = join(folder, "assets");
  await mkdir(assets, { recursive: true });
  const documentation = buildDocs((name, contents) => writeHashed(assets, name, contents));
  const names = {
    "style.css": await buildStyle(assets),
    "key.js": await buildScript(assets, "key.tsx", {}),
    "main.js": await buildScript(assets, "main.tsx", { splitting: true, define: { DOCUMENTATION: JSON.stringify(documentation) } }),
    // Not a module, because modules run after the first paint.
    "before-paint.js": await buildScript(assets, "before-paint.ts", { format: "iife" }),
  };
  for (const page of PAGES) {
    const text = await Bun.file(join(import.meta.dir, page)).text();
    await Bun.write(
      join(folder, page),
      Object.entries(names).reduce((written, [name, hashed]) => written.replace(`/${name}`, `/${hashed}`), text),
    );
  }
  await compress(assets);
}

/** Built in a temporary folder and renamed, so that a gateway that starts meanwhile finds a complete console. */
const startedAt = new Date();
await mkdir(dirname(TARGET), { recursive: true });
const folder = await mkdtemp(`${TARGET}-`);
try {
  await build(join(folder, "new"));
  // The start time: `scripts/install` rebuilds when a source file is newer, even one that changed during this build.
  await utimes(join(folder, "new", "index.html"), startedAt, startedAt);
  await rename(TARGET, join(folder, "old")).catch(() => {});
  await rename(join(folder, "new"), TARGET);
} finally {
  await rm(folder, { recursive: true, force: true });
}
