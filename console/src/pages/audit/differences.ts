/** A changed field by its full path, such as `limits.requests_per_minute`. */
export interface Difference {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type ResourceState = Readonly<Record<string, unknown>> | null;

/** The changed fields. For a created or removed resource: all fields that have a value. */
export function differences(before: ResourceState, after: ResourceState): Difference[] {
  const was = flatten(before);
  const is = flatten(after);
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  // Null fields of a new resource are not changes.
  const isShown = (field: string): boolean =>
    before && after ? was.get(field) !== is.get(field) : (was.get(field) ?? is.get(field)) !== "null";
  return fields.filter(isShown).map((field) => ({ field, before: was.get(field), after: is.get(field) }));
}

/** Flattens nested objects; lists are compared as a whole. */
function flatten(value: ResourceState, prefix = "", into = new Map<string, string>()): Map<string, string> {
  for (const [name, inner] of Object.entries(value ?? {})) {
    if (inner !== null && typeof inner === "object" && !Array.isArray(inner)) flatten(inner as ResourceState, `${prefix}${name}.`, into);
    else into.set(`${prefix}${name}`, textOf(inner));
  }
  return into;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
