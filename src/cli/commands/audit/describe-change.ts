import type { ChangeView } from "../../views.ts";

/** Known from the other columns. */
const SEEN_ELSEWHERE = new Set(["id", "created_at"]);

/** What a change did, field by field: `caps.day: 5.00 → none`. Of what was made, all that it was made with. */
export function describeChange({ before, after }: ChangeView): string {
  if (after === null) return "";
  const is = flatten(after);
  if (before === null) return list([...is].filter(([field]) => !SEEN_ELSEWHERE.has(field)).map(([field, text]) => `${field}: ${text}`));
  const was = flatten(before);
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((field) => was.get(field) !== is.get(field));
  return list(changed.map((field) => `${field}: ${was.get(field) ?? "none"} → ${is.get(field) ?? "none"}`));
}

function list(parts: readonly string[]): string {
  return parts.join("; ");
}

/** The fields by their paths, as text. What is null is left out. */
function flatten(value: object, prefix = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, each] of Object.entries(value) as [string, unknown][]) {
    if (each === null) continue;
    if (typeof each === "object" && !Array.isArray(each))
      for (const [path, text] of flatten(each, `${prefix}${name}.`)) fields.set(path, text);
    else fields.set(`${prefix}${name}`, typeof each === "string" ? each : JSON.stringify(each));
  }
  return fields;
}
