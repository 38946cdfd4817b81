import type { DocsElement, DocsNode } from "./documentation.ts";

const INLINE = new Set<DocsElement["tag"]>(["em", "strong", "del", "code", "page-link", "external-link"]);

/** The text of nodes, with a space between cells, items and lines. */
export function textOf(nodes: readonly DocsNode[]): string {
  return nodes.map(textWithSpace).join("").replaceAll(/\s+/g, " ").trim();
}

function textWithSpace(node: DocsNode): string {
  if (typeof node === "string") return node;
  if ("text" in node) return `${node.text} `;
  if (!("children" in node)) return " ";
  const text = node.children.map(textWithSpace).join("");
  return INLINE.has(node.tag) ? text : `${text} `;
}
