import type { Deviation } from "../../models/deviation.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { ExtraContent, ToolCallHead } from "../streams/chunk-writer.ts";

/** Part of a response, in the terms of the chat-completions format. */
export type Delta =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "signature"; readonly extraContent: ExtraContent }
  | { readonly kind: "call"; readonly call: CompleteCall };

type CompleteCall = ToolCallHead & { readonly arguments: string };

/** Parts of Google's server-side tools. Their results are in the text. */
const IGNORED_PARTS = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];

/** Translates the parts of one response, across all of its events. */
export class DeltaReader {
  readonly #report: (deviation: Deviation) => void;
  readonly #ids = new Set<string>();
  #open: { readonly head: ToolCallHead; readonly args: PartialArguments } | undefined;

  constructor(report: (deviation: Deviation) => void) {
    this.#report = report;
  }

  take(parts: readonly unknown[]): Delta[] {
    return parts.flatMap((part) => (isObject(part) ? this.#takePart(part) : []));
  }

  /** Closes the open call, if any: its last part can be missing. */
  end(): Delta[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    if (open.args.isMalformed) this.#report("arguments_unparsable");
    return [{ kind: "call", call: { ...open.head, arguments: open.args.toText() } }];
  }

  #takePart(part: Record<string, unknown>): Delta[] {
    const { text, functionCall, thought, thoughtSignature } = part;
    if (isObject(functionCall)) return this.#takeCall(functionCall, thoughtSignature);
    if (typeof text === "string") {
      const deltas: Delta[] = text === "" ? [] : [{ kind: thought === true ? "reasoning" : "text", text }];
      const extraContent = thought === true ? undefined : toExtraContent(thoughtSignature);
      return extraContent ? [...deltas, { kind: "signature", extraContent }] : deltas;
    }
    // Other parts are ignored, such as images and files, for which the chat-completions format has no field.
    if (!IGNORED_PARTS.some((name) => name in part)) this.#report("event_unexpected");
    return [];
  }

  /** A part with a name opens a call. Parts without a name continue the call, until a part has `willContinue` unset. */
  #takeCall(part: Record<string, unknown>, signature: unknown): Delta[] {
    const { name, id, willContinue } = part;
    const isNew = typeof name === "string" && name !== "";
    const before = isNew ? this.end() : [];
    if (isNew) this.#open = { head: this.#headOf(name, id, signature), args: new PartialArguments() };
    if (!this.#open) {
      this.#report("event_unexpected");
      return before;
    }
    this.#open.args.add(part);
    return willContinue === true ? before : [...before, ...this.end()];
  }

  #headOf(name: string, id: unknown, signature: unknown): ToolCallHead {
    const extraContent = toExtraContent(signature);
    return { id: this.#uniqueId(id), name, ...(extraContent && { extraContent }) };
  }

  /** The call's own id if it is unique, because results are matched by id; otherwise a generated one. */
  #uniqueId(given: unknown): string {
    const id = typeof given === "string" && given !== "" && !this.#ids.has(given) ? given : `call_${crypto.randomUUID()}`;
    this.#ids.add(id);
    return id;
  }
}

function toExtraContent(signature: unknown): ExtraContent | undefined {
  return typeof signature === "string" && signature !== "" ? { google: { thought_signature: signature } } : undefined;
}

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

/**
 * Defines own properties only, so that no path reaches a prototype. Arrays grow one element at a time, so that no index allocates a huge
 * one.
 */
function put(place: Container, step: string | number, value: unknown): boolean {
  if (Array.isArray(place) !== (typeof step === "number")) return false;
  if (Array.isArray(place) && (step as number) > place.length) return false;
  Object.defineProperty(place, step, { value, writable: true, enumerable: true, configurable: true });
  return true;
}
