import { isObject } from "../../lib/schema/schema.ts";

type Container = Record<string, unknown> | unknown[];

/** One segment of a JSONPath (RFC 9535), a name or an index, as in `$.city`, `$['a b']`, `$.list[0].name`. */
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/gy;

/** Longer than any real path. A segment can be two characters, so a path of 1 MB would nest deeper than the stack allows. */
const MAX_PATH_CHARS = 2_000;

/**
 * The arguments of a function call: complete, or in fragments, as Vertex can stream them. Each fragment is the path to a value, and
 * the value or more of its text.
 */
export class PartialArguments {
  readonly #root: Record<string, unknown> = {};
  /** Whether a fragment could not be applied. */
  isMalformed = false;

  /** Adds the arguments in one part of the call: complete values by name, or fragments. */
  add({ args, partialArgs }: Readonly<Record<string, unknown>>): void {
    if (isObject(args)) for (const [name, value] of Object.entries(args)) put(this.#root, name, value);
    else if (args != null) this.isMalformed = true;
    if (Array.isArray(partialArgs)) for (const fragment of partialArgs) this.#addFragment(fragment);
  }

  /** The arguments as JSON text. */
  toText(): string {
    return JSON.stringify(this.#root);
  }

  #addFragment(fragment: unknown): void {
    const path = isObject(fragment) && typeof fragment["jsonPath"] === "string" ? readPath(fragment["jsonPath"]) : undefined;
    const value = isObject(fragment) ? valueOf(fragment) : undefined;
    if (path === undefined || value === undefined || !this.#set(path, value)) this.isMalformed = true;
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

/** Undefined for an unsupported path, and for the root path `$`. */
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

/** Defines own properties only, so that no path reaches a prototype. Arrays grow one element at a time, so that no index allocates a huge one. */
function put(place: Container, step: string | number, value: unknown): boolean {
  if (Array.isArray(place) !== (typeof step === "number")) return false;
  if (Array.isArray(place) && (step as number) > place.length) return false;
  Object.defineProperty(place, step, { value, writable: true, enumerable: true, configurable: true });
  return true;
}
