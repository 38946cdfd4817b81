import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseInline, parseMarkdown, type Block, type Inline } from "./markdown.ts";

test("parses headings, paragraphs, lists and code", () => {
  const blocks = parseMarkdown(
    "# Changes\n\nOne line\ngoes on.\n\n- first\n  of two\n- `second`\n\n```sh\na  b\n\nc\n```\n\n1. one\n2. two",
  );
  expect(blocks.map(({ kind }) => kind)).toEqual(["heading", "paragraph", "list", "code", "list"]);
  expect(blocks[1]).toEqual({ kind: "paragraph", text: [{ kind: "text", text: "One line goes on." }] });
  expect(blocks[2]).toMatchObject({ isOrdered: false, items: [[{ text: "first of two" }], [{ kind: "code", text: "second" }]] });
  expect(blocks[3]).toEqual({ kind: "code", text: "a  b\n\nc" });
  expect(blocks[4]).toMatchObject({ isOrdered: true });
});

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
      // List numbers and code languages are not part of the text.
      const parsed = parseMarkdown(text.replaceAll("1.", "a").replaceAll("```", "")).map(textOf).join("");
      expect(letters(parsed)).toBe(letters(text.replaceAll("1.", "a").replaceAll("```", "")));
    }),
  );
});

function letters(shown: string): string {
  return shown.replaceAll(/[^a1]/g, "");
}

function textOf(block: Block): string {
  if (block.kind === "code") return block.text;
  return (block.kind === "list" ? block.items.flat() : block.text).map(lettersOf).join("");
}

function lettersOf(inline: Inline): string {
  return inline.kind === "link" ? inline.text + inline.to : inline.text;
}
