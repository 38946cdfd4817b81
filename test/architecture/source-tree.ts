import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";

const SOURCE = join(ROOT, "src");

/** The text of each file of src without the tests, by its path below src. */
export const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !isTest(file))
    .map((file) => [file, readFileSync(join(SOURCE, file), "utf8")]),
);

export const files: readonly string[] = [...sources.keys()].toSorted();

function isTest(file: string): boolean {
  return /\.(test|contract)\.tsx?$/.test(file);
}

/** The files that a file imports, including those from which it imports only types. */
export function importsOf(file: string): string[] {
  return importsIn(sources.get(file)!).map((path) => relative(SOURCE, join(SOURCE, dirname(file), path)));
}

function importsIn(source: string): string[] {
  return [...source.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map((match) => match[1]!);
}

/** The first import cycle found, as the files on it in order; undefined if there is none. */
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

/** The functions below these paths that have more lines than this, as `file: name`. The linter's parser finds them. */
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
