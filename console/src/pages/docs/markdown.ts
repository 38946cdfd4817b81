/** The subset of Markdown that the changelog uses. Anything else stays plain text. */

export type Inline =
  | { readonly kind: "text" | "code" | "strong"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly to: string };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly text: readonly Inline[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
const ITEM = /^(?:-|(\d+)\.) +/;

export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  const parts = text.replaceAll("\r\n", "\n").split(/^```[^\n]*\n([\s\S]*?)^```$/m);
  for (const [at, part] of parts.entries()) {
    if (at % 2 === 1) blocks.push({ kind: "code", text: part.trimEnd() });
    else for (const paragraph of part.split(/\n{2,}/)) blocks.push(...blocksIn(paragraph.trim()));
  }
  return blocks;
}

function blocksIn(paragraph: string): Block[] {
  if (paragraph === "") return [];
  const heading = /^(#{1,6}) +(.*)(?:\n([\s\S]+))?$/.exec(paragraph);
  if (heading) {
    const [, marks = "", title = "", rest = ""] = heading;
    return [{ kind: "heading", level: marks.length, text: parseInline(title) }, ...blocksIn(rest.trim())];
  }
  const first = ITEM.exec(paragraph);
  if (first) return [{ kind: "list", isOrdered: first[1] !== undefined, items: itemsIn(paragraph) }];
  return [{ kind: "paragraph", text: parseInline(joined(paragraph)) }];
}

/** A line that does not start an item continues the previous one. */
function itemsIn(paragraph: string): (readonly Inline[])[] {
  const items: string[] = [];
  for (const line of paragraph.split("\n")) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return items.map((item) => parseInline(item));
}

function joined(lines: string): string {
  return lines.replaceAll(/\s*\n\s*/g, " ");
}

export function parseInline(text: string): Inline[] {
  const found: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) found.push({ kind: "text", text: text.slice(end, match.index) });
    const [all, code, strong, label, to] = match;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (strong !== undefined) found.push({ kind: "strong", text: strong });
    else found.push({ kind: "link", text: label!, to: to! });
    end = match.index + all.length;
  }
  if (end < text.length) found.push({ kind: "text", text: text.slice(end) });
  return found;
}
