/**
 * What was changed since an edit was begun, and nothing else: a change of somebody else meanwhile is not undone.
 * Of what has parts, such as limits, only the parts that differ. What is not set is the same as null.
 */
export function changesTo<After extends object>(begun: object, after: After): Partial<After> {
  const changes = Object.entries(after).flatMap(([name, value]: [string, unknown]) => {
    const before = (begun as Record<string, unknown>)[name] ?? null;
    if (!isParts(value) || !isParts(before)) return JSON.stringify(value) === JSON.stringify(before) ? [] : [[name, value]];
    const parts = changesTo(before, value);
    return Object.keys(parts).length === 0 ? [] : [[name, parts]];
  });
  return Object.fromEntries(changes) as Partial<After>;
}

function isParts(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
