import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { DocsSection } from "./documentation.ts";
import { searchDocs } from "./search-docs.ts";

const section = (page: string, title: string, heading: string, text: string): DocsSection => ({
  page,
  title,
  ...(heading !== title && { anchor: heading.toLowerCase().replaceAll(" ", "-") }),
  heading,
  text,
});

const SECTIONS = [
  section("", "Docs", "Operate", "Back up and restore: Storage, backup. Limit requests: Billing, rate limits."),
  section("storage", "Storage", "Storage", "The data folder. A backup is described below."),
  section("storage", "Storage", "Backup", "Copy the folder of a stopped gateway."),
  section("money", "Billing", "Billing", "Credit, spend caps and rate limits."),
  section("money", "Billing", "Rate limits", "A rate limit restricts a key. TOLLGATE_RATE=1 turns it on."),
  section("money", "Billing", "Charges", "The rate of a model, and the limit of its context."),
];

const found = (query: string): string[] => searchDocs(SECTIONS, query).map(({ to }) => to);

test("a heading ranks before the text, and pages before the index that links to them", () => {
  expect(found("backup")).toEqual(["storage#backup", "storage", "#operate"]);
  expect(found("rate limit").slice(0, 2)).toEqual(["money#rate-limits", "money"]);
  expect(found("billing")[0]).toBe("money");
});

test("finds the start of a word, the plural and the singular, parts of a name, and every word of the query", () => {
  expect(found("back")).toEqual(found("backup"));
  expect(found("RATE LIMITS")).toEqual(found("rate limit"));
  expect(found("tollgate_rate")).toEqual(["money#rate-limits"]);
  expect(found("context model")).toEqual(["money#charges"]);
  expect(found("context backup")).toEqual([]);
  expect(found("ackup")).toEqual([]);
  expect(found(" ")).toEqual([]);
});

test("shows the text around the first match, in pieces that alternate", () => {
  const [match] = searchDocs([section("a", "A", "B", `${"word ".repeat(100)}needle ${"more ".repeat(100)}`)], "needle");
  expect(match!.excerpt).toHaveLength(3);
  expect(match!.excerpt[1]).toBe("needle");
  expect(match!.excerpt[0]).toStartWith("… word");
  expect(match!.excerpt[2]).toEndWith("more …");
});

test("takes any query", () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      for (const { section: each, excerpt } of searchDocs(SECTIONS, query))
        expect(each.text).toContain(excerpt.join("").replaceAll(/^… | …$/g, ""));
    }),
  );
});
