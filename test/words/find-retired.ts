import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { RETIRED_NAMES, RETIRED_PHRASES, RETIRED_SENTENCES, type RetiredWord } from "./retired-words.ts";

/** Where the words of the field are required. The changelog keeps the words of its time. */
const LOOKED_THROUGH = ["src", "docs", "console/src", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
const TEXT = /\.(ts|tsx|md|css|html|yaml)$/;

/** Between two words of a phrase: a space, or a line break in a paragraph or a comment. */
const GAP = String.raw`(?:\s+(?:(?:\*|\/\/|#)\s+)?)`;

interface Search extends RetiredWord {
  readonly regex: RegExp;
  readonly isName: boolean;
}

const SEARCHES: readonly Search[] = [
  ...RETIRED_NAMES.map((word) => ({ ...word, regex: new RegExp(word.pattern, "g"), isName: true })),
  ...[...RETIRED_PHRASES, ...RETIRED_SENTENCES].map((word) => ({
    ...word,
    regex: new RegExp(word.pattern.replaceAll(" ", GAP), "gi"),
    isName: false,
  })),
];

/** Every file that is looked through, by its path from the root. */
export function textFiles(): string[] {
  return LOOKED_THROUGH.flatMap((path) => {
    if (!statSync(join(ROOT, path)).isDirectory()) return [path];
    const files = readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" });
    return files.map((file) => join(path, file)).filter((file) => TEXT.test(file));
  });
}

/** The retired words in the name and the text of a file, each as "file:line: word → replacement". */
export function findRetired(file: string, text = readFileSync(join(ROOT, file), "utf8")): string[] {
  const begins = (path: string): boolean => file.startsWith(path);
  const searches = SEARCHES.filter(({ under }) => under?.some(begins) ?? true);
  return searches.flatMap(({ regex, isName, instead }) => [
    ...(isName ? [...`/${file}`.matchAll(regex)].map(([found]) => `${file}: "${found}" in its name → ${instead}`) : []),
    ...[...text.matchAll(regex)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line}: "${found.replaceAll(/\s+/g, " ")}" → ${instead}`;
    }),
  ]);
}
