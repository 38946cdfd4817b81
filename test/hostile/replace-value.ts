/** The way to a value inside of an answer. */
export type Path = readonly (string | number)[];

type Inside = Record<string | number, unknown>;

/** An answer as JSON text, with the value at the end of the way replaced by other JSON, which no writer of JSON might write. */
export function withWrong(answer: object, path: Path, value: string): string {
  const copy = structuredClone(answer) as Inside;
  let place = copy;
  for (const step of path.slice(0, -1)) place = (place[step] ??= {}) as Inside;
  place[path.at(-1)!] = "\u0001";
  return JSON.stringify(copy).replace(String.raw`"\u0001"`, value);
}

/** The ways to every value inside of another. */
export function pathsIn(value: unknown): Path[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...pathsIn(inner).map((path) => [key, ...path])]);
}
