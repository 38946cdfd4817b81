import type { Change } from "../../../../platform-client/types.ts";

/** One line per change; --json prints the complete change. */
export function describeChange({ action, target, before, after }: Change): string {
  if (after === null) return "";
  const reload = action === "config.reload" && before !== null ? describeReload(before, after) : undefined;
  return reload ?? describeFields(before, after, target.kind);
}

/** The meaning of null, in the fields where it is not "none". */
const MEANING_OF_NULL: Readonly<Record<string, string>> = { "webhook.alerts": "all" };

/** Fields that are in another column, or are for programs only. */
const NOT_SHOWN = new Set(["id", "kind", "created_at", "digest"]);

/** The changed fields: `caps.day: 5.00 → none`. For a created resource, all of its fields. */
function describeFields(before: object | null, after: object, kind: string): string {
  const is = flatten(after);
  if (before === null) return [...is].map(([field, value]) => `${field}: ${summarize(value)}`).join("; ");
  const was = flatten(before);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((field) => !Bun.deepEquals(was.get(field), is.get(field)));
  const format = (field: string, value: unknown): string =>
    (value === undefined ? MEANING_OF_NULL[`${kind}.${field}`] : undefined) ?? summarize(value);
  return changed.map((field) => `${field}: ${format(field, was.get(field))} → ${format(field, is.get(field))}`).join("; ");
}

/** The fields by their paths, without those that are null. */
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

/** A resource that a config file declares. */
interface DeclaredResource {
  readonly kind: string;
  readonly id: string;
}

/** A reload by resource: `added model n; changed model m (owned_by: a → b)`. Undefined if the record lists none. */
function describeReload(before: object, after: object): string | undefined {
  const was = resourcesIn(before, "changed");
  const parts = [
    ...resourcesIn(after, "added").map((resource) => `added ${summarize(resource)}`),
    ...resourcesIn(after, "changed").map((resource) => describeChanged(was.find((each) => isSame(each, resource)) ?? null, resource)),
    ...resourcesIn(before, "removed").map(
      (resource) => `${resource.kind === "account" ? "no longer in the file:" : "removed"} ${summarize(resource)}`,
    ),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function describeChanged(before: object | null, after: DeclaredResource): string {
  const fields = describeFields(before, after, after.kind);
  return `changed ${summarize(after)}${fields === "" ? "" : ` (${fields})`}`;
}

function isSame(one: DeclaredResource, other: DeclaredResource): boolean {
  return one.kind === other.kind && one.id === other.id;
}

function resourcesIn(record: object, list: "added" | "changed" | "removed"): DeclaredResource[] {
  const resources = (record as Readonly<Record<string, unknown>>)[list];
  return Array.isArray(resources) ? resources.filter(isDeclared) : [];
}

function isDeclared(resource: unknown): resource is DeclaredResource {
  return typeof resource === "object" && resource !== null && "kind" in resource && "id" in resource;
}

const MAX_ITEMS = 5;
const MAX_CHARS = 60;

/** A short form of a value: a list by the names of its items, an object by its ID or its fields. */
function summarize(value: unknown): string {
  if (value === undefined || value === null) return "none";
  if (Array.isArray(value)) return summarizeArray(value);
  return typeof value === "object" ? cut(summarizeObject(value)) : typeof value === "string" ? value : JSON.stringify(value);
}

function summarizeArray(items: readonly unknown[]): string {
  if (items.length === 0) return "none";
  const more = items.length > MAX_ITEMS ? ` and ${items.length - MAX_ITEMS} more` : "";
  return items.slice(0, MAX_ITEMS).map(summarize).join(", ") + more;
}

function summarizeObject(resource: object): string {
  const { kind, id } = resource as { readonly kind?: unknown; readonly id?: unknown };
  if (typeof id === "string") return typeof kind === "string" ? `${kind} ${id}` : id;
  const fields = (Object.entries(resource) as [string, unknown][]).filter(([, value]) => value !== null);
  return fields.map(([name, value]) => `${name} ${summarize(value)}`).join(" ");
}

function cut(text: string): string {
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}
