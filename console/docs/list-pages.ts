import type { Documentation, DocsNode, DocsPageContent } from "../src/pages/docs/documentation.ts";
import { textOf } from "../src/pages/docs/text-of.ts";

const SECTION = "all-pages";

/** The navigation: the pages that the start page links to in its section "All pages", grouped by the headings in it. */
export function listPages({ content }: DocsPageContent): Documentation["groups"] {
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
