import { isObject } from "../../lib/schema/schema.ts";

type Container = Record<string, unknown> | unknown[];

/** A name or a place in a list, of the forms that paths to arguments have: `$.city`, `$['a b']`, `$.list[0].name` (RFC 9535). */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

/** Longer than any real one. A step is two characters: a path of a megabyte would nest deeper than the stack. */
const MAX_PATH_CHARS = 2_000;

/**
 * The arguments of a function call: whole, or in pieces, as Vertex can send them. Each piece is the path to a value, and the
 * value or more of its text.
 */
export class GatheredArguments {
  readonly #root: Record<string, unknown> = {};
  /** Whether some piece did not fit. */
  isTorn = false;

  /** What one part of the call has of them: whole values by their names, or pieces. */
  add({ args, partialArgs }: Readonly<Record<string, unknown>>): void {
    if (isObject(args)) for (const [name, value] of Object.entries(args)) put(this.#root, name, value);
    else if (args != null) this.isTorn = true;
    if (Array.isArray(partialArgs)) for (const piece of partialArgs) this.#addPiece(piece);
  }

  /** As the JSON text that callers get. */
  toText(): string {
    return JSON.stringify(this.#root);
  }

  #addPiece(piece: unknown): void {
    const path = isObject(piece) && typeof piece["jsonPath"] === "string" ? readPath(piece["jsonPath"]) : undefined;
    const value = isObject(piece) ? valueOf(piece) : undefined;
    if (path === undefined || value === undefined || !this.#set(path, value)) this.isTorn = true;
  }

  #set(path: readonly (string | number)[], value: string | number | boolean | null): boolean {
    let place: Container = this.#root;
    for (const [at, step] of path.slice(0, -1).entries()) {
      const inner: unknown = get(place, step) ?? (typeof path[at + 1] === "number" ? [] : {});
      if (typeof inner !== "object" || !put(place, step, inner)) return false;
      place = inner as Container;
    }
    const last = path.at(-1)!;
    const before = get(place, last);
    return put(place, last, typeof value === "string" && typeof before === "string" ? before + value : value);
  }
}

/** Undefined for a path of another form, and for the one to the whole. */
function readPath(path: string): (string | number)[] | undefined {
  if (path.length > MAX_PATH_CHARS) return undefined;
  const steps: (string | number)[] = [];
  let end = 1;
  for (const match of path.slice(1).matchAll(STEP)) {
    const [whole, plain, place, single, double] = match;
    steps.push(place === undefined ? (plain ?? (single ?? double ?? "").replaceAll(/\\(.)/g, "$1")) : Number(place));
    end += whole.length;
  }
  return path.startsWith("$") && end === path.length && steps.length > 0 ? steps : undefined;
}

function valueOf({
  stringValue,
  numberValue,
  boolValue,
  nullValue,
}: Record<string, unknown>): string | number | boolean | null | undefined {
  if (typeof stringValue === "string") return stringValue;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return nullValue === undefined ? undefined : null;
}

function get(place: Container, step: string | number): unknown {
  return Object.hasOwn(place, step) ? (place as Record<string | number, unknown>)[step] : undefined;
}

/** Own properties alone, so that no path reaches a prototype; and lists grow by one, so that none can ask for a billion places. */
function put(place: Container, step: string | number, value: unknown): boolean {
  if (Array.isArray(place) !== (typeof step === "number")) return false;
  if (Array.isArray(place) && (step as number) > place.length) return false;
  Object.defineProperty(place, step, { value, writable: true, enumerable: true, configurable: true });
  return true;
}
