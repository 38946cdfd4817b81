import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../support/gateway/launcher.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

ensureBuilt();

const FOLDER = join(ROOT, "dist/console");
const ASSETS = join(FOLDER, "assets");

export const page = readFileSync(join(FOLDER, "index.html"), "utf8");
export const keyPage = readFileSync(join(FOLDER, "key.html"), "utf8");
export const assets = readdirSync(ASSETS);
export const readAsset = (name: string): string => readFileSync(join(ASSETS, name), "utf8");

/** The scripts and styles that the pages reference. */
export const namedByPage = namesIn(page);
export const namedByKeyPage = namesIn(keyPage);

function namesIn(text: string): string[] {
  return [...text.matchAll(/%BASE%\/assets\/([^"]+)/g)].map((match) => match[1]!);
}

/** Everything that a browser fetches for the first load: referenced files, their static imports, and fonts. */
export function firstLoad(named: readonly string[] = namedByPage): string[] {
  const found = new Set<string>();
  const follow = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    if (name.endsWith(".js")) for (const imported of staticImports(readAsset(name))) follow(imported);
    if (name.endsWith(".css")) for (const font of readAsset(name).matchAll(/url\(["']?(?:\.\/)?([\w.-]+)["']?\)/g)) follow(font[1]!);
  };
  named.forEach(follow);
  return [...found];
}

/** Static imports only: a dynamic `import("./part.js")` is fetched on demand. */
export function staticImports(script: string): string[] {
  return [...script.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+)["']/g)].map((match) => match[1]!);
}

/** The Brotli-compressed size, if there is a compressed file. */
export function transferSize(name: string): number {
  const compressed = join(ASSETS, `${name}.br`);
  return readFileSync(existsSync(compressed) ? compressed : join(ASSETS, name)).length;
}
