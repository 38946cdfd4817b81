import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Documentation, DocsPageContent, DocsNode, DocsSection } from "../src/pages/docs/documentation.ts";
import { parsePage, type LinkTarget, type References } from "./parse-page.ts";
import { textOf } from "../src/pages/docs/text-of.ts";

const ROOT = join(import.meta.dir, "../..");
const CHANGELOG = "CHANGELOG.md";

/** The reference, which the console generates from the OpenAPI documents. */
const REFERENCE: Readonly<Record<string, string>> = {
  openapi: "openapi/gateway",
  "openapi/gateway.json": "openapi/gateway",
  "openapi/platform.json": "openapi/platform",
};

/** Writes a file of the build and returns its name. */
export type WriteFile = (name: string, contents: string | Uint8Array) => string;

/** Writes every page of docs/ and the search index as separate files, which are loaded when they are opened. */
export function buildDocs(write: WriteFile): Documentation {
  const files = [...new Glob("docs/**/*.md").scanSync(ROOT)].toSorted();
  const pages = new Map([...files, CHANGELOG].map((file) => [file, pageOf(file)]));
  const contents = new Map([...pages].map(([file, page]) => [page, parseFile(file, pages, write)]));
  // The changelog is excluded, because it would come before the pages in most searches.
  const sections = files.flatMap((file) => splitSections(pageOf(file), contents.get(pageOf(file))!));
  const written = [...contents].map(([page, content]) => [
    page,
    write(`docs-${fileNameOf(page || "start")}.json`, JSON.stringify(content)),
  ]);
  return {
    groups: listPages(contents.get("")!),
    files: Object.fromEntries(written) as Record<string, string>,
    searchFile: write("docs-search.json", JSON.stringify(sections)),
  };
}

/** docs/README.md is the start page. */
function pageOf(file: string): string {
  return file
    .toLowerCase()
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replace(/(^|\/)readme$/, "");
}

function parseFile(file: string, pages: ReadonlyMap<string, string>, write: WriteFile): DocsPageContent {
  const references: References = {
    link: (href) => targetOf(file, href, pages),
    image: (src) => write(`docs-${fileNameOf(src)}`, readFileSync(join(ROOT, dirname(file), src))),
  };
  return parsePage(readFileSync(join(ROOT, file), "utf8"), references);
}

function fileNameOf(path: string): string {
  return path.replaceAll("/", "-");
}

/** A link with any scheme other than these, such as `javascript:`, is treated as a file that does not exist. */
export function targetOf(file: string, href: string, pages: ReadonlyMap<string, string>): LinkTarget {
  if (/^(https?:|mailto:)/.test(href)) return { href };
  const [path = "", anchor] = href.split("#");
  const target = path === "" ? file : join(dirname(file), path);
  const page = pages.get(target) ?? REFERENCE[target];
  return page === undefined ? undefined : { to: anchor === undefined ? page : `${page}#${anchor}` };
}

const SECTION = "all-pages";

/** The navigation: the pages that the start page links to in its section "All pages", grouped by the headings in it. */
function listPages({ content }: DocsPageContent): Documentation["groups"] {
  const groups: { title: string; pages: { page: string; label: string }[] }[] = [];
  let isInside = false;
  for (const node of content) {
    if (typeof node === "string") continue;
    if (node.tag === "h2") isInside = node.id === SECTION;
    else if (isInside && node.tag === "h3") groups.push({ title: textOf(node.children), pages: [] });
    else if (isInside && node.tag === "table") groups.at(-1)?.pages.push(...linksIn(node.children));
  }
  return groups;
}

function linksIn(nodes: readonly DocsNode[]): { page: string; label: string }[] {
  return nodes.flatMap((node) => {
    if (typeof node === "string" || !("children" in node)) return [];
    return node.tag === "page-link" ? [{ page: node.to.split("#")[0]!, label: textOf(node.children) }] : linksIn(node.children);
  });
}

/** Splits a page at its headings, for the search. */
export function splitSections(page: string, { title, content }: DocsPageContent): DocsSection[] {
  const starts = content.flatMap((node, at) => (isHeading(node) ? [at] : []));
  return [-1, ...starts].map((at, index, all) => {
    const heading = content[at];
    const text = textOf(content.slice(at + 1, all[index + 1]));
    if (heading === undefined || !isHeading(heading)) return { page, title, heading: title, text };
    return { page, title, anchor: heading.id, heading: textOf(heading.children), text };
  });
}

function isHeading(node: DocsNode): node is Extract<DocsNode, { readonly tag: "h2" | "h3" | "h4" }> {
  return typeof node !== "string" && (node.tag === "h2" || node.tag === "h3" || node.tag === "h4");
}
