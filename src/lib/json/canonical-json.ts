/**
 * A value of JSON as the one text that all of its spellings have in common: keys in order, no spaces, numbers and strings as
 * JavaScript writes them. Undefined where a number is larger than a `number` holds exactly, such as a seed of 64 bits: there two
 * values would become one.
 */
export function canonicalJson(value: unknown): string | undefined {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? JSON.stringify(value) : undefined;
  // Halves of surrogate pairs come out as escapes, so that different strings stay different in UTF-8 too.
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
}

function canonicalArray(values: readonly unknown[]): string | undefined {
  const items = values.map(canonicalJson);
  return items.includes(undefined) ? undefined : `[${items.join(",")}]`;
}

function canonicalObject(value: object): string | undefined {
  const members: string[] = [];
  for (const [name, member] of Object.entries(value).toSorted(byName)) {
    const text = canonicalJson(member);
    if (text === undefined) return undefined;
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
