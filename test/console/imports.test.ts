import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { findCycle } from "../architecture/source-tree.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

/** The allowed imports of the console. The first matching pattern applies. */
const MAY_IMPORT: readonly [file: RegExp, allowed: readonly RegExp[]][] = [
  [/^platform\//, [/^platform\//]],
  [/^parts\//, [/^parts\//, /^platform\//]],
  [/^(charts|snippets|breakdown|limits-and-usage)\//, [/^(charts|snippets|breakdown|limits-and-usage|parts|platform)\//]],
  [/^shell\//, [/^(shell|parts|platform)\//, /^theme\.ts$/]],
  // Components that show one resource on another's page stay in their own page's folder.
  [/^pages\/accounts\//, [/^pages\/(accounts|keys|people)\//]],
  [/^pages\/models\//, [/^pages\/(models|upstreams)\//]],
  [/^pages\/people\//, [/^pages\/(people|settings)\//]],
  [/^pages\/playground\//, [/^pages\/(playground|requests)\//]],
  [/^pages\/([^/]+)\//, [/^pages\/$1\//]],
  // Imports no part of the console that calls the platform.
  [/^key-holder\//, [/^(key-holder|parts)\//, /^shell\/brand\.tsx$/]],
  [/^(main|key|router|theme|before-paint)\.tsx?$/, [/./]],
];

/** The folders that every page may import. */
const FOR_PAGES = [/^(charts|snippets|breakdown|limits-and-usage|shell|parts|platform)\//, /^theme\.ts$/];

/**
 * The only files from outside: the types of the platform API; the tables of limits and timeouts, which have the labels of their fields; and the
 * calendar, because both sides must compute the same days.
 */
const SHARED_FILES = /^\.\.\/\.\.\/(platform-client\/types|src\/(money\/limits|models\/timeouts|lib\/time\/(calendar|time-zone)))\.ts$/;

const SOURCE = join(ROOT, "console/src");
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));

function importsOf(file: string): string[] {
  return [...readFileSync(join(SOURCE, file), "utf8").matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map((match) => match[1]!);
}

function filesImportedBy(file: string): string[] {
  return importsOf(file)
    .filter((imported) => imported.startsWith("."))
    .map((imported) => relative(SOURCE, join(SOURCE, file, "..", imported)));
}

function mayImport(file: string, imported: string): boolean {
  const [pattern, allowed] = MAY_IMPORT.find(([known]) => known.test(file))!;
  const own = pattern.exec(file)![1] ?? "";
  const patterns = [
    ...allowed.map(({ source }) => new RegExp(source.replaceAll("$1", own))),
    ...(file.startsWith("pages/") ? FOR_PAGES : []),
  ];
  return patterns.some((one) => one.test(imported));
}

test("pages import shared folders, and shared folders import no page", () => {
  const wrong = files.flatMap((file) =>
    filesImportedBy(file)
      .filter((imported) => !SHARED_FILES.test(imported) && !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
});

test("no files import each other, by types neither", () => {
  expect(findCycle(new Map(files.map((file) => [file, filesImportedBy(file)])))).toBeUndefined();
});

test("browser code uses no Node.js or Bun APIs", () => {
  // Files with snippets are excluded, because they contain code for other machines.
  const ours = files.filter((file) => !file.includes("snippets"));
  const wrong = ours.filter((file) => /from "(node:|bun[":])|\b(Bun|process)\./.test(readFileSync(join(SOURCE, file), "utf8")));
  expect(wrong).toEqual([]);
});
