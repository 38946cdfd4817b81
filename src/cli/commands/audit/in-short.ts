const MOST_ITEMS = 5;
const MOST_CHARS = 60;

/** A value of the audit log for people, who find it whole with --json. A list is its things by name, a thing is what is in it. */
export function inShort(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return listInShort(value);
  return typeof value === "object" ? cut(thingInShort(value)) : typeof value === "string" ? value : JSON.stringify(value);
}

function listInShort(items: readonly unknown[]): string {
  if (items.length === 0) return "none";
  const more = items.length > MOST_ITEMS ? ` and ${items.length - MOST_ITEMS} more` : "";
  return items.slice(0, MOST_ITEMS).map(inShort).join(", ") + more;
}

function thingInShort(thing: object): string {
  const { kind, id } = thing as { readonly kind?: unknown; readonly id?: unknown };
  if (typeof id === "string") return typeof kind === "string" ? `${kind} ${id}` : id;
  const fields = (Object.entries(thing) as [string, unknown][]).filter(([, value]) => value !== null);
  return fields.map(([name, value]) => `${name} ${inShort(value)}`).join(" ");
}

function cut(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
}
