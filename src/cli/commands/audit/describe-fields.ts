import { inShort } from "./in-short.ts";

/** Known from elsewhere in the row, or nothing for people. */
const NOT_SHOWN = new Set(["id", "kind", "created_at", "digest"]);

/** What has changed, field by field: `caps.day: 5.00 → none`. Of what was made, all that it was made with. */
export function describeFields(before: object | null, after: object): string {
  const is = flatten(after);
  if (before === null) return [...is].map(([field, value]) => `${field}: ${inShort(value)}`).join("; ");
  const was = flatten(before);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((field) => !Bun.deepEquals(was.get(field), is.get(field)));
  return changed.map((field) => `${field}: ${inShort(was.get(field))} → ${inShort(is.get(field))}`).join("; ");
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
