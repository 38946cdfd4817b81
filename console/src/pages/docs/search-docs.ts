import type { DocsSection } from "./documentation.ts";

/** A section that contains every word of the query. */
export interface DocsMatch {
  readonly section: DocsSection;
  /** The target in the format of `DocsLink`. */
  readonly to: string;
  /** The part of the text around the first match, in pieces: every second piece is a match. */
  readonly excerpt: readonly string[];
}

const MAX_MATCHES = 30;
const EXCERPT_LENGTH = 180;

/** A match in the title of a page weighs more than a match in a heading, and that more than a match in the text. */
const WEIGHTS = { title: 12, heading: 8, text: 1, phrase: 4 } as const;

/** The start page is an index: the pages that it links to are better results. */
const START_PAGE_FACTOR = 0.5;

/** The sections that contain every word of the query, or a word that starts with it; the best first. */
export function searchDocs(sections: readonly DocsSection[], query: string): DocsMatch[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const patterns = words.map(patternsOf);
  const phrase = new RegExp(words.map(startOf).join("s?[^\\p{L}\\p{N}]+"), "iu");
  const scored = sections.flatMap((section) => {
    const score = scoreOf(section, patterns, phrase);
    return score === 0 ? [] : [{ section, score }];
  });
  const best = scored.toSorted((one, other) => other.score - one.score).slice(0, MAX_MATCHES);
  return best.map(({ section }) => ({ section, to: targetOf(section), excerpt: excerptOf(section.text, words) }));
}

function targetOf({ page, anchor }: DocsSection): string {
  return anchor === undefined ? page : `${page}#${anchor}`;
}

interface WordPatterns {
  readonly whole: RegExp;
  readonly start: RegExp;
}

/** "limits" finds "limit" too. */
function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_$-]+(?:\.[\p{L}\p{N}_-]+)*/gu) ?? [];
  return words.map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word));
}

function patternsOf(word: string): WordPatterns {
  return { whole: new RegExp(`${startOf(word)}s?(?![\\p{L}\\p{N}])`, "giu"), start: new RegExp(startOf(word), "giu") };
}

function startOf(word: string): string {
  return `(?<![\\p{L}\\p{N}])${escaped(word)}`;
}

/** The other special characters of a regular expression never occur in a word. */
function escaped(word: string): string {
  return word.replaceAll(/[.$]/g, "\\$&");
}

/** Zero if a word is missing. */
function scoreOf(section: DocsSection, patterns: readonly WordPatterns[], phrase: RegExp): number {
  let score = phrase.test(section.heading) || phrase.test(section.text) ? WEIGHTS.phrase : 0;
  for (const word of patterns) {
    const found = scoreOfWord(section, word);
    if (found === 0) return 0;
    score += found;
  }
  return section.page === "" ? score * START_PAGE_FACTOR : score;
}

function scoreOfWord({ title, anchor, heading, text }: DocsSection, word: WordPatterns): number {
  const inTitle = occurrences(title, word) > 0 ? WEIGHTS.title : 0;
  const inHeading = anchor !== undefined && occurrences(heading, word) > 0 ? WEIGHTS.heading : 0;
  // Many repetitions in a long text are only slightly more relevant than a few.
  const inText = WEIGHTS.text * Math.log2(1 + occurrences(text, word));
  // A match in the title alone does not make every section of the page a result.
  if (anchor !== undefined && inHeading + inText === 0) return 0;
  return (anchor === undefined ? inTitle : inTitle / 4) + inHeading + inText;
}

/** The word itself counts twice as much as a longer word that starts with it. */
function occurrences(text: string, { whole, start }: WordPatterns): number {
  return ((text.match(whole)?.length ?? 0) + (text.match(start)?.length ?? 0)) / 2;
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const any = new RegExp(`(?<![\\p{L}\\p{N}])((?:${words.map(escaped).join("|")})[\\p{L}\\p{N}]*)`, "giu");
  const first = Math.max(0, text.search(any));
  const from = first < EXCERPT_LENGTH / 2 ? 0 : text.lastIndexOf(" ", first - EXCERPT_LENGTH / 3) + 1;
  const to = from + EXCERPT_LENGTH >= text.length ? text.length : text.lastIndexOf(" ", from + EXCERPT_LENGTH);
  const pieces = text.slice(from, to).split(any);
  if (from > 0) pieces[0] = `… ${pieces[0]}`;
  if (to < text.length) pieces[pieces.length - 1] += " …";
  return pieces;
}
