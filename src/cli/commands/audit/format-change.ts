import type { Change } from "../../../../platform-client/types.ts";

/** What a change did, in a line for people. --json has all of it. */
export function describeChange({ action, before, after }: Change): string {
  if (after === null) return "";
  const reload = action === "config.reload" && before !== null ? describeReload(before, after) : undefined;
  return reload ?? describeFields(before, after);
}

/** Known from elsewhere in the row, or nothing for people. */
const NOT_SHOWN = new Set(["id", "kind", "created_at", "digest"]);

/** What has changed, field by field: `caps.day: 5.00 → none`. Of what was made, all that it was made with. */
export function describeFields(before: object | null, after: object): string {
  const is = flatten(after);
  if (before === null) return [...is].map(([field, value]) => `${field}: ${summarize(value)}`).join("; ");
  const was = flatten(before);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((field) => !Bun.deepEquals(was.get(field), is.get(field)));
  return changed.map((field) => `${field}: ${summarize(was.get(field))} → ${summarize(is.get(field))}`).join("; ");
}

/** The fields by their paths. What is null is left out. */
function flatten(value: object, prefix = ""): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, each] of Object.entries(value) as [string, unknown][]) {
    if (each === null || (prefix === "" && NOT_SHOWN.has(name))) continue;
    if (typeof each === "object" && !Array.isArray(each))
      for (const [path, inner] of flatten(each, `${prefix}${name}.`)) fields.set(path, inner);
    else fields.set(`${prefix}${name}`, each);
  }
  return fields;
}

/** A thing that a config file declares, with what is known of it. */
interface Declared {
  readonly kind: string;
  readonly id: string;
}

/** What a reload did, thing by thing: `added model n; changed model m (owned_by: a → b)`. Undefined where the record has none. */
export function describeReload(before: object, after: object): string | undefined {
  const was = thingsIn(before, "changed");
  const parts = [
    ...thingsIn(after, "added").map((thing) => `added ${summarize(thing)}`),
    ...thingsIn(after, "changed").map((thing) => describeChanged(was.find((each) => isSame(each, thing)) ?? null, thing)),
    ...thingsIn(before, "removed").map((thing) => `${thing.kind === "account" ? "no longer in the file:" : "removed"} ${summarize(thing)}`),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function describeChanged(before: object | null, after: Declared): string {
  const fields = describeFields(before, after);
  return `changed ${summarize(after)}${fields === "" ? "" : ` (${fields})`}`;
}

function isSame(one: Declared, other: Declared): boolean {
  return one.kind === other.kind && one.id === other.id;
}

function thingsIn(record: object, list: "added" | "changed" | "removed"): Declared[] {
  const things = (record as Readonly<Record<string, unknown>>)[list];
  return Array.isArray(things) ? things.filter(isDeclared) : [];
}

function isDeclared(thing: unknown): thing is Declared {
  return typeof thing === "object" && thing !== null && "kind" in thing && "id" in thing;
}

const MOST_ITEMS = 5;
const MOST_CHARS = 60;

/** A value of the audit log for people, who find it whole with --json. A list is its things by name, a thing is what is in it. */
export function summarize(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return summarizeArray(value);
  return typeof value === "object" ? cut(summarizeObject(value)) : typeof value === "string" ? value : JSON.stringify(value);
}

function summarizeArray(items: readonly unknown[]): string {
  if (items.length === 0) return "none";
  const more = items.length > MOST_ITEMS ? ` and ${items.length - MOST_ITEMS} more` : "";
  return items.slice(0, MOST_ITEMS).map(summarize).join(", ") + more;
}

function summarizeObject(thing: object): string {
  const { kind, id } = thing as { readonly kind?: unknown; readonly id?: unknown };
  if (typeof id === "string") return typeof kind === "string" ? `${kind} ${id}` : id;
  const fields = (Object.entries(thing) as [string, unknown][]).filter(([, value]) => value !== null);
  return fields.map(([name, value]) => `${name} ${summarize(value)}`).join(" ");
}

function cut(text: string): string {
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
}
