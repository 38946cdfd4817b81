import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../launcher.ts";
import { ROOT } from "../start-gateway.ts";

ensureBuilt();

const FOLDER = join(ROOT, "dist/console");
const ASSETS = join(FOLDER, "assets");

export const page = readFileSync(join(FOLDER, "index.html"), "utf8");
export const assets = readdirSync(ASSETS);
export const readAsset = (name: string): string => readFileSync(join(ASSETS, name), "utf8");

/** The scripts, styles and others that the page itself names. */
export const namedByPage = [...page.matchAll(/%BASE%\/assets\/([^"]+)/g)].map((match) => match[1]!);

/** All that a browser fetches before the console is there: what the page names, what that imports at once, and the fonts of its style. */
export function firstLoad(): string[] {
  const found = new Set<string>();
  const follow = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    if (name.endsWith(".js")) for (const imported of importedAtOnce(readAsset(name))) follow(imported);
    if (name.endsWith(".css")) for (const font of readAsset(name).matchAll(/url\(["']?(?:\.\/)?([\w.-]+)["']?\)/g)) follow(font[1]!);
  };
  namedByPage.forEach(follow);
  return [...found];
}

/** `import("./part.js")` is not among them: that is fetched when it is needed. */
export function importedAtOnce(script: string): string[] {
  return [...script.matchAll(/(?:\bfrom|\bimport)\s*["']\.\/([\w.-]+)["']/g)].map((match) => match[1]!);
}

/** As most browsers have it sent to them. */
export function bytesSent(name: string): number {
  const compressed = join(ASSETS, `${name}.br`);
  return readFileSync(existsSync(compressed) ? compressed : join(ASSETS, name)).length;
}
