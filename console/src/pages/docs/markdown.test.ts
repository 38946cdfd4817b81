import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseInline, type Inline } from "./markdown.ts";

test("parses links, code and emphasis inside a line", () => {
  expect(parseInline("see [errors](docs/errors.md) and **mind** `x`.")).toEqual([
    { kind: "text", text: "see " },
    { kind: "link", text: "errors", to: "docs/errors.md" },
    { kind: "text", text: " and " },
    { kind: "strong", text: "mind" },
    { kind: "text", text: " " },
    { kind: "code", text: "x" },
    { kind: "text", text: "." },
  ]);
});

test("loses no text, whatever the input", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "`", "*", "[", "]", "(", ")", "#", "-", "\n", " ", "1", ".") }), (text) => {
      expect(letters(parseInline(text).map(textOf).join(""))).toBe(letters(text));
    }),
  );
});

function letters(shown: string): string {
  return shown.replaceAll(/[^a1]/g, "");
}

function textOf(inline: Inline): string {
  return inline.kind === "link" ? inline.text + inline.to : inline.text;
}
