/**
 * The canonical text of a JSON value: sorted keys, no spaces, numbers and strings as JavaScript writes them. Undefined if the value has a
 * number that a `number` cannot represent exactly, such as a 64-bit seed: two different values would have the same text.
 */
export function canonicalJson(value: unknown): string | undefined {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? JSON.stringify(value) : undefined;
  // Lone surrogates are escaped, so that different strings stay different in UTF-8 too.
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
