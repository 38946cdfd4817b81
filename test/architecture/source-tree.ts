import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";

const SOURCE = join(ROOT, "src");

/** The text of each file of src, by its path below it. Tests are not among them. */
export const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !isTest(file))
    .map((file) => [file, readFileSync(join(SOURCE, file), "utf8")]),
);

export const files: readonly string[] = [...sources.keys()].toSorted();

function isTest(file: string): boolean {
  return /\.(test|contract)\.tsx?$/.test(file);
}

/** The files that a file imports, those of which it imports types alone included. */
export function importsOf(file: string): string[] {
  return importsIn(sources.get(file)!).map((path) => relative(SOURCE, join(SOURCE, dirname(file), path)));
}

function importsIn(source: string): string[] {
  return [...source.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map((match) => match[1]!);
}

/** The first import cycle that is found, as the files on it in order; undefined where there is none. */
export function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const imported of imports.get(file) ?? []) {
      const cycle = visit(imported);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}

interface Diagnostic {
  readonly filename: string;
  readonly message: string;
}

/** The functions that have more lines than this below these paths, as `file: name`, by the linter's parser. */
export function longFunctions(maxLines: number, paths: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-lint-"));
  const config = join(folder, "oxlint.json");
  const rule = ["error", { max: maxLines, skipComments: false, skipBlankLines: false, IIFEs: true }];
  writeFileSync(config, JSON.stringify({ categories: { correctness: "off" }, rules: { "eslint/max-lines-per-function": rule } }));
  const command = [join(ROOT, "node_modules/.bin/oxlint"), "-c", config, "--format", "json", ...paths];
  const { stdout } = Bun.spawnSync(command, { cwd: ROOT });
  rmSync(folder, { recursive: true });
  const { diagnostics } = JSON.parse(stdout.toString()) as { diagnostics: Diagnostic[] };
  const found = diagnostics.filter(({ filename }) => !isTest(filename));
  return found.map(({ filename, message }) => `${filename}: ${/`([^`]+)`/.exec(message)?.[1] ?? message}`);
}
