/** The path of a value in a response. */
export type Path = readonly (string | number)[];

type Inside = Record<string | number, unknown>;

/**
 * The JSON text of a response in which the value at a path is replaced by other text, including text that `JSON.stringify` never writes.
 */
export function replaceValue(answer: object, path: Path, value: string): string {
  const copy = structuredClone(answer) as Inside;
  let parent = copy;
  for (const step of path.slice(0, -1)) parent = (parent[step] ??= {}) as Inside;
  parent[path.at(-1)!] = "\u0001";
  return JSON.stringify(copy).replace(String.raw`"\u0001"`, value);
}

/** The paths of all values inside a value. */
export function pathsIn(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsIn(inner).map((path) => [key, ...path])]);
}
