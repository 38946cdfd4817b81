import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./support/gateway/start-gateway.ts";
import { findRetired, textFiles } from "./words/find-retired.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The terms that a part of the glossary explains. */
const termsOf = (text: string): string[] => [...text.matchAll(/^\*\*([^*]+)\*\*/gm)].map((match) => match[1]!);

describe("retired words", () => {
  const folders = Map.groupBy(textFiles(), (file) => /^(?:console\/)?src\/[^/]+|^[^/]+/.exec(file)![0]);
  for (const [folder, files] of folders) {
    test(`are not used in ${folder}`, () => {
      expect(files.flatMap((file) => findRetired(file))).toEqual([]);
    });
  }

  test("every file of the console and of the source is looked through", () => {
    for (const folder of ["src/cli", "src/gateway", "src/platform", "docs", "console/src/pages", "scripts", "bench", "deploy", "test"])
      expect([...folders.keys()]).toContain(folder);
  });

  test.each([
    ["src/a.ts", "const room: Room = x;", 'src/a.ts:1: "Room" → Headroom'],
    ["src/a.ts", "// Fine.\nimport { reckonCall } from 'x';", 'src/a.ts:2: "reckonCall" → '],
    ["src/gateway/cache/give-again.ts", "", 'src/gateway/cache/give-again.ts: "give-again" in its name → serve-cached'],
    ["docs/a.md", "One.\n\nIt starts\nanew.", 'docs/a.md:4: "anew" → again'],
    ["docs/a.md", "Nobody Is Told yet", 'docs/a.md:1: "Is Told" → receives'],
    ["docs/a.md", "requests that are under\nway", 'docs/a.md:1: "under way" → in flight'],
    ["src/a.ts", "/**\n * A call that is under\n * way.\n */", 'src/a.ts:2: "under * way" → in flight'],
    ["console/src/a.tsx", '{ value: "left", label: "Caller left" }', 'console/src/a.tsx:1: "value: "left"" → client_closed'],
    ["console/src/a.tsx", "Requests a minute", 'console/src/a.tsx:1: "Requests a minute" → requests per minute'],
    ["README.md", "the base address", 'README.md:1: "base address" → base URL'],
    ["docs/a.md", "An end is no\nfailure.", 'docs/a.md:1: "is no " → is not a …'],
    ["docs/a.md", "Keeps so many backups.", 'docs/a.md:1: "so many" → name the number'],
    ["docs/a.md", "a key in the place of a token", 'docs/a.md:1: "in the place of" → instead of'],
    ["src/a.ts", "// Keeps so many.", 'src/a.ts:1: "so many" → name the number'],
    ["src/a.ts", "/**\n * The file is\n * no CSV.\n */", 'src/a.ts:2: "is * no " → is not a …'],
    ["console/src/a.tsx", 'hint="Default: that of the bill."', 'console/src/a.tsx:1: "that of" → repeat the noun'],
    ["scripts/a.ts", "throw new Error(`two files, of which ${one} is empty`)", 'scripts/a.ts:1: "of which" → repeat the noun'],
    ["src/a.ts", 'description: "Null where it is unknown."', 'src/a.ts:1: "Null where it" → null if'],
    ["bench/a.ts", "// All but for one.", 'bench/a.ts:1: "but for" → except for'],
    ["deploy/a.yaml", "# An e-mail\n", 'deploy/a.yaml:1: "e-mail" → email'],
    ["test/a.test.ts", 'test("the key is no token", f)', 'test/a.test.ts:1: "is no " → is not a …'],
  ])("the search can fail: one planted in %s is found", (file, text, expected) => {
    expect(findRetired(file, text).filter((message) => message.startsWith(expected))).toHaveLength(1);
  });

  test.each([
    [
      "src/a.ts",
      "the room that is left; it told the caller, put into the outgoing queue, asked for more; a retry; it tries the next route",
    ],
    ["src/a.ts", "retries, RetryBudget, thinking budgets, budget_exceeded, too_dear, break-words, wholehearted, shear"],
    ["docs/a.md", "There is no gateway. It is no longer listed. It fails so often that it is ejected."],
    ["src/a.ts", "/**\n * It is no\n * longer listed, and fails so often\n * that it is ejected.\n */"],
    ["scripts/a.ts", "const room: Room = reckonCall();"],
    ["docs/a.md", "the left column; a place for it; an ending stream; the response is stored; a heading told apart"],
  ])("ordinary English and wire names are not rejected in %s: %s", (file, text) => {
    expect(findRetired(file, text)).toEqual([]);
  });
});

describe("headings of the documents", () => {
  const pages = readdirSync(join(ROOT, "docs")).filter((file) => file.endsWith(".md"));
  const headings = pages.flatMap((page) => [...read(`docs/${page}`).matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!.toLowerCase()));
  test.each([
    ["rate limits", /rate limit/],
    ["circuit breaker", /circuit breaker/],
    ["failover", /failover/],
    ["load balancing", /load balancing/],
    ["response cache", /response cach/],
    ["idempotency", /idempoten/],
    ["spend caps", /spend caps?\b/],
    ["SSO", /\bsso\b|single sign-on/],
    ["SSRF", /\bssrf\b/],
    ["percentiles", /percentile/],
    ["hot reload", /hot[- ]reload/],
    ["backup", /back(ing)?[- ]?up/],
    ["upgrade", /upgrad/],
    ["high availability", /high[- ]availability/],
  ])("have what people search for: %s", (_, wanted) => {
    expect(headings.filter((heading) => wanted.test(heading))).not.toEqual([]);
  });
});

describe("GLOSSARY.md", () => {
  const [words, unusual] = read("GLOSSARY.md").split("\n## Unusual words that stay\n");

  test.each([
    ["the nouns", words!],
    ["the unusual words", unusual!],
  ])("%s are in alphabetical order, each once", (_, text) => {
    const terms = termsOf(text).map((term) => term.toLowerCase());
    expect(terms.length).toBeGreaterThan(5);
    expect(terms).toEqual([...new Set(terms)].toSorted());
  });

  test("every noun is explained", () => {
    const lines = `${words!}\n${unusual!}`.split("\n").filter((line) => line.startsWith("**"));
    for (const line of lines) expect(line).toMatch(/^\*\*[^*]+\*\*(?: \([^)]+\))?: .{15,}\.$/);
  });

  test("explains each unusual word that stays", () => {
    const staying = [
      "Books",
      "CallerGone",
      "Doctor",
      "Format deviation",
      "Greeting",
      "Hold, settle, release",
      "Mend",
      "Money that adds up",
    ];
    expect(termsOf(unusual!)).toEqual([...staying, "People", "Tally"]);
  });
});
