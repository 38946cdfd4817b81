/** The Markdown of descriptions in the OpenAPI documents: code, emphasis and links within a line. Anything else stays plain text. */
export type Inline =
  | { readonly kind: "text" | "code" | "strong"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly to: string };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

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
