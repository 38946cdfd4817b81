import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "./result.ts";

/** Where results are stored: RESULTS.md, and a folder with the files that it is generated from. */
export const BENCH = join(import.meta.dir, "..");

/** Each scenario has its own file, written as soon as it is measured. */
export function keepResult(result: Result, base: string): void {
  mkdirSync(join(base, "results"), { recursive: true });
  writeFileSync(join(base, "results", `${result.id}.json`), `${JSON.stringify(result, null, 1)}\n`);
}

export function keptResults(base: string): Result[] {
  const folder = join(base, "results");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Result)
    .toSorted((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));
}
