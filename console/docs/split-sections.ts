import type { DocsNode, DocsPageContent, DocsSection } from "../src/pages/docs/documentation.ts";
import { textOf } from "../src/pages/docs/text-of.ts";

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
