import { JsonPieces } from "../../lib/json/json-pieces.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { mendArguments, mendToolCallHead, NO_ARGUMENTS, toolCallsOf, toolIdOf } from "./mend.ts";
import type { Mending } from "./mending.ts";

type Json = Record<string, unknown>;

/** A tool call as far as it has come, with the index and id that the upstream gave it. */
interface ToolCallSoFar {
  readonly index: unknown;
  readonly id: string | undefined;
  isNamed: boolean;
  hasArguments: boolean;
  /** Undefined for a call whose input is no JSON. */
  readonly arguments: JsonPieces | undefined;
}

/** More than any answer has: each piece is looked for among all of them. */
const MAX_TOOL_CALLS = 1_000;

/** The tool calls of one choice, which come in pieces. */
export class ToolCallPieces {
  readonly #calls: ToolCallSoFar[] = [];

  get count(): number {
    return this.#calls.length;
  }

  /** Puts a piece right. The first of a call names it; later ones must not repeat what helpers would append. */
  mend(piece: Json, mending: Mending): void {
    if (!isObject(piece["function"]) && !isObject(piece["custom"])) mending.set(piece, "function", {}, "tool_function_missing");
    const fn = (piece["function"] ?? piece["custom"]) as Json;
    mendArguments(fn, mending);
    const known = this.#placeOf(piece, fn);
    const place = known ?? this.#open(piece);
    const call = this.#calls[place]!;
    if (piece["index"] !== place) mending.set(piece, "index", place, "tool_index_wrong");
    if (known === undefined) mendToolCallHead(piece, fn, mending);
    else removeHead(piece, fn, call, mending);
    call.isNamed ||= isText(fn["name"]);
    if (typeof fn["arguments"] !== "string") return;
    call.hasArguments ||= fn["arguments"] !== "";
    call.arguments?.feed(fn["arguments"]);
  }

  /** To be called when the choice ends, with its last delta: clients parse the arguments then. */
  endArguments(delta: Json, mending: Mending): void {
    for (const [index, call] of this.#calls.entries()) {
      if (call.arguments === undefined) continue;
      if (!call.hasArguments) giveNoArguments(index, delta, mending);
      else if (!call.arguments.isWhole) mending.note("arguments_unparsable");
    }
  }

  #open(piece: Json): number {
    if (this.#calls.length >= MAX_TOOL_CALLS) throw new Error(`more than ${MAX_TOOL_CALLS} tool calls`);
    const args = isObject(piece["custom"]) ? undefined : new JsonPieces();
    return this.#calls.push({ index: piece["index"], id: toolIdOf(piece), isNamed: false, hasArguments: false, arguments: args }) - 1;
  }

  /**
   * The place of the tool call that a piece continues, or undefined where it opens one. Gemini's compatible endpoint and Mistral
   * give no index, others give 0 to every call: an id that is new opens a call, as does a name where there is nothing else, and one
   * with arguments where those of the call before are whole.
   */
  #placeOf(piece: Json, fn: Json): number | undefined {
    const id = toolIdOf(piece);
    const { index } = piece;
    const hasIndex = Number.isSafeInteger(index);
    if (id === undefined && !hasIndex && isText(fn["name"])) return undefined;
    const place = this.#calls.findLastIndex((call) => {
      if (id !== undefined) return call.id === id || (call.id === undefined && hasIndex && call.index === index);
      return !hasIndex || call.index === index;
    });
    if (place < 0) return undefined;
    return id === undefined && isAnother(fn, this.#calls[place]!) ? undefined : place;
  }
}

/** In the piece of the call that is there, or in one more: LangChain does not put two pieces of one delta together. */
function giveNoArguments(index: number, delta: Json, mending: Mending): void {
  const pieces = toolCallsOf(delta);
  const fn = pieces.findLast((piece) => piece["index"] === index)?.["function"];
  if (isObject(fn)) mending.set(fn, "arguments", NO_ARGUMENTS, "arguments_empty");
  else mending.set(delta, "tool_calls", [...pieces, { index, function: { arguments: NO_ARGUMENTS } }], "arguments_empty");
}

/** A name that comes late is still the call's name. */
function removeHead(piece: Json, fn: Json, { isNamed }: ToolCallSoFar, mending: Mending): void {
  mending.remove(piece, "id", "tool_head_repeated");
  mending.remove(piece, "type", "tool_head_repeated");
  if (isNamed || !isText(fn["name"])) mending.remove(fn, "name", "tool_head_repeated");
}

/** Nothing can follow arguments that are whole. */
function isAnother({ name, arguments: args }: Json, before: ToolCallSoFar): boolean {
  return isText(name) && isText(args) && before.isNamed && before.arguments?.isWhole === true;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
