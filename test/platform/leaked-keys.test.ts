import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { parse as parseYaml } from "yaml";
import { makeApiKey } from "../../src/access/api-key.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

/** JavaScript has no \A and \z, and in the table the bars are escaped. */
const document = readFileSync(join(ROOT, "docs/leaked-keys.md"), "utf8");

function codeOf(language: string): string {
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(document)?.[1];
  if (found === undefined) throw new Error(`docs/leaked-keys.md has nothing in ${language}`);
  return found;
}

interface GitleaksFile {
  readonly rules: { regex: string; keywords: string[] }[];
}
interface TrufflehogFile {
  readonly detectors: { regex: { key: string }; keywords: string[] }[];
}

describe("every pattern for scanners", () => {
  const [gitleaks] = (Bun.TOML.parse(codeOf("toml")) as GitleaksFile).rules;
  const [trufflehog] = (parseYaml(codeOf("yaml")) as TrufflehogFile).detectors;
  const cells = Object.fromEntries([...document.matchAll(/^\| (\w+ \w+) \| `(.+)` \|$/gm)].map(([, field, value]) => [field, value]));
  const github = `(?:${cells["Before secret"]})(${cells["Secret format"]})(?:${cells["After secret"]})`;
  const patterns = {
    plain: `(${codeOf("regex").trim()})`,
    gitleaks: gitleaks!.regex,
    trufflehog: trufflehog!.regex.key,
    // JavaScript has no \A and \z, and the table needs its bars escaped.
    github: github.replaceAll("\\|", "|").replaceAll("\\A", "^").replaceAll("\\z", "$"),
  };

  for (const [name, pattern] of Object.entries(patterns)) {
    test(`of ${name} finds a new key in any context, and no part of a key`, () => {
      const find = new RegExp(pattern);
      for (let time = 0; time < 100; time++) {
        const key = makeApiKey().key.reveal();
        for (const text of [key, `KEY="${key}"`, `?key=${key}&a=b`, `first line\n${key}\nlast line`, `Bearer ${key}.`]) {
          expect(find.exec(text)?.[1]).toBe(key);
        }
        expect(find.test(key.slice(0, -1))).toBe(false);
      }
    });
  }

  test("has a keyword that is in every key", () => {
    const key = makeApiKey().key.reveal();
    for (const word of [...gitleaks!.keywords, ...trufflehog!.keywords]) expect(key).toContain(word);
  });
});

describe("the checksum", () => {
  let folder: string;
  let isKey: (text: string) => boolean;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-leaked-"));
    writeFileSync(join(folder, "is-key.mjs"), codeOf("js"));
    ({ isKey } = (await import(join(folder, "is-key.mjs"))) as { isKey: typeof isKey });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("as computed by the program in the documentation is valid for every key, and for no other text of that form", () => {
    for (let time = 0; time < 1000; time++) expect(isKey(makeApiKey().key.reveal())).toBe(true);
    fc.assert(fc.property(fc.stringMatching(/^sk-service-[0-9A-Za-z]{50}$/), (text) => expect(isKey(text)).toBe(false)));
    const key = makeApiKey().key.reveal();
    const last = key.endsWith("0") ? "1" : "0";
    for (const text of [key.slice(0, -1) + last, `${key}x`, key.slice(1), ""]) expect(isKey(text)).toBe(false);
  });

  test("matches its description", () => {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (let time = 0; time < 100; time++) {
      const key = makeApiKey().key.reveal();
      let rest = crc32(key.slice(0, -6));
      const written = Array.from({ length: 6 }, () => {
        const digit = digits[rest % 62]!;
        rest = Math.floor(rest / 62);
        return digit;
      });
      expect(key.slice(-6)).toBe(written.toReversed().join(""));
    }
  });
});
