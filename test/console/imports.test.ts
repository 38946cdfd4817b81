import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ROOT } from "../start-gateway.ts";

/** Who may import whom in the console. A file is judged by the first line whose pattern it matches. */
const MAY_IMPORT: readonly [file: RegExp, allowed: readonly RegExp[]][] = [
  [/^platform\//, [/^platform\//]],
  [/^parts\//, [/^parts\//, /^platform\//]],
  [/^(charts|snippets|limits-and-usage)\//, [/^(charts|snippets|limits-and-usage|parts|platform)\//]],
  [/^shell\//, [/^(shell|parts|platform)\//, /^theme\.ts$/]],
  // What is shown of one thing on the page of another stays on its own page's folder.
  [/^pages\/accounts\//, [/^pages\/(accounts|keys|people)\//]],
  [/^pages\/models\//, [/^pages\/(models|upstreams)\//]],
  [/^pages\/people\//, [/^pages\/(people|settings)\//]],
  [/^pages\/playground\//, [/^pages\/(playground|requests)\//]],
  [/^pages\/([^/]+)\//, [/^pages\/$1\//]],
  [/^(main|router|theme|before-paint)\.tsx?$/, [/./]],
];

/** What every page may use. */
const FOR_PAGES = [/^(charts|snippets|limits-and-usage|shell|parts|platform)\//, /^theme\.ts$/];

/** Nothing of the server is for browsers, but for this: both must have the same days. */
const OF_THE_SERVER = /^\.\.\/\.\.\/src\/vocabulary\/(calendar|time-zone)\.ts$/;

const SOURCE = join(ROOT, "console/src");
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."));

function importsOf(file: string): string[] {
  return [...readFileSync(join(SOURCE, file), "utf8").matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map((match) => match[1]!);
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

test("a page is made of parts, and parts know no page", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => imported.startsWith("."))
      .map((imported) => relative(SOURCE, join(SOURCE, file, "..", imported)))
      .filter((imported) => !OF_THE_SERVER.test(imported) && !mayImport(file, imported))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(wrong).toEqual([]);
});

test("what browsers run needs nothing that they do not have", () => {
  // What snippets say is for other machines.
  const ours = files.filter((file) => !file.includes("snippets"));
  const wrong = ours.filter((file) => /from "(node:|bun[":])|\b(Bun|process)\./.test(readFileSync(join(SOURCE, file), "utf8")));
  expect(wrong).toEqual([]);
});
