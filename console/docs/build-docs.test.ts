import { expect, test } from "bun:test";
import { parsePage } from "./parse-page.ts";
import { splitSections } from "./build-docs.ts";

test("splits a page at its headings of every level, each with its text", () => {
  const page = parsePage("# Billing\n\nIntro.\n\n## Rate limits\n\nA `limit`.\n\n### Headers\n\n| a | b |\n|---|---|\n| 1 | 2 |", {
    link: () => undefined,
    image: (src) => src,
  });
  expect(splitSections("money", page)).toEqual([
    { page: "money", title: "Billing", heading: "Billing", text: "Intro." },
    { page: "money", title: "Billing", anchor: "rate-limits", heading: "Rate limits", text: "A limit." },
    { page: "money", title: "Billing", anchor: "headers", heading: "Headers", text: "a b 1 2" },
  ]);
});
