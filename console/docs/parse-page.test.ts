import { expect, test } from "bun:test";
import * as fc from "fast-check";
import type { DocsNode, DocsPageContent } from "../src/pages/docs/documentation.ts";
import { textOf } from "../src/pages/docs/text-of.ts";
import { targetOf } from "./build-docs.ts";
import { parsePage } from "./parse-page.ts";

const PAGES = new Map([
  ["docs/README.md", ""],
  ["docs/money.md", "money"],
  ["docs/clients/aider.md", "clients/aider"],
]);

const parse = (markdown: string, file = "docs/money.md"): DocsPageContent =>
  parsePage(markdown, { link: (href) => targetOf(file, href, PAGES), image: (src) => `built-${src}` });
const content = (markdown: string, file?: string): readonly DocsNode[] => parse(markdown, file).content;

/** The nodes in the paragraphs. */
const links = (markdown: string, file?: string): DocsNode[] =>
  content(markdown, file).flatMap((node) => (typeof node !== "string" && "children" in node ? node.children : []));

test("parses what the pages use: headings, tables, lists with code, emphasis", () => {
  const page = parse(
    "# Title\n\nOne *line*\ngoes on.\n\n## Second\n\n| a | b |\n|---|--:|\n| `x\\|y` | 2 |\n\n1. one\n\n   ```sh\n   a  <b>\n   ```",
  );
  expect(page.title).toBe("Title");
  expect(page.content.slice(0, 2)).toEqual([
    { tag: "p", children: ["One ", { tag: "em", children: ["line"] }, "\ngoes on."] },
    { tag: "h2", id: "second", children: ["Second"] },
  ]);
  expect(page.content[2]).toMatchObject({ tag: "table", label: "Table, Second" });
  expect(textOf([page.content[2]!])).toBe("a b x|y 2");
  expect(JSON.stringify(page.content[2])).toContain(JSON.stringify({ tag: "td", align: "right", children: ["2"] }));
  expect(page.content[3]).toEqual({
    tag: "ol",
    start: 1,
    children: [
      {
        tag: "li",
        children: [
          { tag: "p", children: ["one"] },
          { tag: "code-block", label: "Example, Second", text: "a  <b>" },
        ],
      },
    ],
  });
});

test("gives headings the anchors that GitHub gives them", () => {
  const headings = ["Load balancing: weighted (`x.y`)", "A_b, Ü & c", "Same", "Same", "[Link](money.md) text"];
  const ids = content(headings.map((heading) => `## ${heading}`).join("\n\n")).map((node) => (node as { id: string }).id);
  expect(ids).toEqual(["load-balancing-weighted-xy", "a_b-ü--c", "same", "same-1", "link-text"]);
});

test("links to pages, anchors and the OpenAPI reference; other files are named only", () => {
  expect(
    links("[a](README.md) [b](#x) [c](clients/aider.md#y) [d](https://a.example) [e](../openapi/platform.json) [f](../bench/x.md)"),
  ).toEqual([
    { tag: "page-link", to: "", children: ["a"] },
    " ",
    { tag: "page-link", to: "money#x", children: ["b"] },
    " ",
    { tag: "page-link", to: "clients/aider#y", children: ["c"] },
    " ",
    { tag: "external-link", href: "https://a.example", children: ["d"] },
    " ",
    { tag: "page-link", to: "openapi/platform", children: ["e"] },
    " f",
  ]);
  expect(links("[up](../money.md#z)", "docs/clients/aider.md")).toEqual([{ tag: "page-link", to: "money#z", children: ["up"] }]);
  expect(links("![diagram](images/x.svg)")).toEqual([{ tag: "image", src: "built-images/x.svg", alt: "diagram" }]);
});

test("HTML becomes plain text, comments disappear, and a link cannot run a script", () => {
  expect(
    content(
      '<!-- not run: needs Docker -->\n\na <b onclick="x">b</b>\n\n<script>alert(1)</script>\n\n[c](javascript:alert(1)) [d](data:text/html,x)',
    ),
  ).toEqual([
    { tag: "p", children: ['a <b onclick="x">b</b>'] },
    { tag: "p", children: ["<script>alert(1)</script>\n"] },
    { tag: "p", children: ["c d"] },
  ]);
});

test("whatever the Markdown, a tree has only known tags, and links to https, http and mailto", () => {
  const unit = fc.constantFrom(
    "a",
    "`",
    "*",
    "[",
    "]",
    "(",
    ")",
    "#",
    "-",
    "\n",
    " ",
    "<",
    ">",
    "!",
    "|",
    "javascript:",
    "https://a.example",
    "<img src=x onerror=y>",
    "&#106;",
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (markdown) => {
      const tree = JSON.stringify(content(markdown));
      for (const [, href] of tree.matchAll(/"href":"([^"]*)"/g)) expect(href).toMatch(/^(https?|mailto):/);
    }),
  );
});
