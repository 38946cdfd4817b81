import type { ChangeView } from "../../views.ts";

/** What a change did, field by field: `caps.day: 5.00 → none`. Of what was made or is gone, its action says all. */
export function describeChange({ before, after }: ChangeView): string {
  if (before === null || after === null) return "";
  const [was, is] = [flatten(before), flatten(after)];
  const fields = [...new Set([...was.keys(), ...is.keys()])];
  return fields
    .filter((field) => was.get(field) !== is.get(field))
    .map((field) => `${field}: ${was.get(field) ?? "none"} → ${is.get(field) ?? "none"}`)
    .join("; ");
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
