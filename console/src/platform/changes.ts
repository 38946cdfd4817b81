/**
 * Only the edited fields, so that a concurrent change of other fields is not undone. For objects, such as limits, only the fields that
 * differ. An unset field counts as null.
 */
export function changesTo<After extends object>(initial: object, after: After): Partial<After> {
  const changes = Object.entries(after).flatMap(([name, value]: [string, unknown]) => {
    const before = (initial as Record<string, unknown>)[name] ?? null;
    if (!isObject(value) || !isObject(before)) return JSON.stringify(value) === JSON.stringify(before) ? [] : [[name, value]];
    const fields = changesTo(before, value);
    return Object.keys(fields).length === 0 ? [] : [[name, fields]];
  });
  return Object.fromEntries(changes) as Partial<After>;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
