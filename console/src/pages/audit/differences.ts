/** A field that a change made different, by its whole name: `limits.requests_per_minute`. */
export interface Difference {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

type Shown = Readonly<Record<string, unknown>> | null;

/** What a change made different. Of something new or gone: all that it has or had. */
export function differences(before: Shown, after: Shown): Difference[] {
  const was = flatten(before);
  const is = flatten(after);
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  // What something new does not have is nothing that anybody has changed.
  const isTold = (field: string): boolean =>
    before && after ? was.get(field) !== is.get(field) : (was.get(field) ?? is.get(field)) !== "null";
  return fields.filter(isTold).map((field) => ({ field, before: was.get(field), after: is.get(field) }));
}

/** Lists stay whole: what became of their third member is no question that anybody has. */
function flatten(value: Shown, prefix = "", into = new Map<string, string>()): Map<string, string> {
  for (const [name, inner] of Object.entries(value ?? {})) {
    if (inner !== null && typeof inner === "object" && !Array.isArray(inner)) flatten(inner as Shown, `${prefix}${name}.`, into);
    else into.set(`${prefix}${name}`, textOf(inner));
  }
  return into;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
