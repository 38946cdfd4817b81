import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { RETIRED_NAMES, RETIRED_PHRASES, RETIRED_SENTENCES, type RetiredWord } from "./retired-words.ts";

/** Where the words of the field are required. The changelog keeps the words of its time. */
const LOOKED_THROUGH = ["src", "docs", "console/src", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
/** Where only the sentences are checked: comments, texts and the names of tests. */
const SENTENCES_ONLY = [
  "bench",
  "console/build.ts",
  "console/docs",
  "deploy",
  "platform-client",
  "scripts",
  "test",
  "GLOSSARY.md",
  "SECURITY.md",
];
/** Recorded measurements, files of other projects, and the lists of retired words. */
const SKIPPED = /^(bench\/(results|RESULTS)|test\/(litellm\/corpus|words))/;
const TEXT = /\.(ts|tsx|md|css|html|yaml|yml|sh)$/;

/** Between two words of a phrase: a space, or a line break in a paragraph or a comment. */
const MARK = String.raw`(?:\*|\/\/|#)\s`;
const GAP = String.raw`(?:\s+(?:${MARK}+)?(?!\s|${MARK}))`;

interface Search extends RetiredWord {
  readonly regex: RegExp;
  readonly isName: boolean;
}

const asPhrase = (word: RetiredWord): Search => ({
  ...word,
  regex: new RegExp(word.pattern.replaceAll(" ", GAP), "gi"),
  isName: false,
});
const SENTENCES: readonly Search[] = RETIRED_SENTENCES.map((word) => asPhrase(word));
const SEARCHES: readonly Search[] = [
  ...RETIRED_NAMES.map((word) => ({ ...word, regex: new RegExp(word.pattern, "g"), isName: true })),
  ...RETIRED_PHRASES.map((word) => asPhrase(word)),
  ...SENTENCES,
];

/** Every file that is looked through, by its path from the root. */
export function textFiles(): string[] {
  return [...LOOKED_THROUGH, ...SENTENCES_ONLY].flatMap((path) => (statSync(join(ROOT, path)).isDirectory() ? filesIn(path) : [path]));
}

/** Without hidden folders and installed packages. */
function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (SKIPPED.test(path)) return [];
    if (entry.isDirectory()) return entry.name.startsWith(".") || entry.name === "node_modules" ? [] : filesIn(path);
    return TEXT.test(path) ? [path] : [];
  });
}

/** The retired words in the name and the text of a file, each as "file:line: word → replacement". */
export function findRetired(file: string, text = readFileSync(join(ROOT, file), "utf8")): string[] {
  const begins = (path: string): boolean => file.startsWith(path);
  const all = LOOKED_THROUGH.some(begins) ? SEARCHES : SENTENCES;
  const searches = all.filter(({ under }) => under?.some(begins) ?? true);
  return searches.flatMap(({ regex, isName, instead }) => [
    ...(isName ? [...`/${file}`.matchAll(regex)].map(([found]) => `${file}: "${found}" in its name → ${instead}`) : []),
    ...[...text.matchAll(regex)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line}: "${found.replaceAll(/\s+/g, " ")}" → ${instead}`;
    }),
  ]);
}
