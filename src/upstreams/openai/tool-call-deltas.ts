import { JsonValidator } from "../../lib/json/json-validator.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { mendArguments, mendToolCallHead, NO_ARGUMENTS, toolCallsOf, toolIdOf } from "./mend.ts";
import type { Mending } from "./mending.ts";

type Json = Record<string, unknown>;

/** A tool call whose deltas are still arriving, with the index and id that the upstream gave it. */
interface OpenToolCall {
  readonly index: unknown;
  readonly id: string | undefined;
  isNamed: boolean;
  hasArguments: boolean;
  /** Undefined for a custom tool call, whose input is not JSON. */
  readonly arguments: JsonValidator | undefined;
}

/** The most tool calls of a choice, more than any response has. Bounds the search: each delta is matched against all calls. */
const MAX_TOOL_CALLS = 1_000;

/** Repairs the tool call deltas of one choice. */
export class ToolCallDeltas {
  readonly #calls: OpenToolCall[] = [];

  get count(): number {
    return this.#calls.length;
  }

  /** Repairs a delta. The first delta of a call has its id and name; later ones must not repeat what SDK helpers would append. */
  mend(delta: Json, mending: Mending): void {
    if (!isObject(delta["function"]) && !isObject(delta["custom"])) mending.set(delta, "function", {}, "tool_function_missing");
    const fn = (delta["function"] ?? delta["custom"]) as Json;
    mendArguments(fn, mending);
    const known = this.#positionOf(delta, fn);
    const place = known ?? this.#open(delta);
    const call = this.#calls[place]!;
    if (delta["index"] !== place) mending.set(delta, "index", place, "tool_index_wrong");
    if (known === undefined) mendToolCallHead(delta, fn, mending);
    else removeHead(delta, fn, call, mending);
    call.isNamed ||= isText(fn["name"]);
    if (typeof fn["arguments"] !== "string") return;
    call.hasArguments ||= fn["arguments"] !== "";
    call.arguments?.feed(fn["arguments"]);
  }

  /** Called with the last delta of the choice, because clients parse the arguments then. */
  endArguments(delta: Json, mending: Mending): void {
    for (const [index, call] of this.#calls.entries()) {
      if (call.arguments === undefined) continue;
      if (!call.hasArguments) addEmptyArguments(index, delta, mending);
      else if (!call.arguments.isComplete) mending.note("arguments_unparsable");
    }
  }

  #open(delta: Json): number {
    if (this.#calls.length >= MAX_TOOL_CALLS) throw new Error(`more than ${MAX_TOOL_CALLS} tool calls`);
    const args = isObject(delta["custom"]) ? undefined : new JsonValidator();
    return this.#calls.push({ index: delta["index"], id: toolIdOf(delta), isNamed: false, hasArguments: false, arguments: args }) - 1;
  }

  /**
   * The position of the tool call that a delta continues, or undefined if it opens a new call. Gemini's compatible endpoint and Mistral
   * send no index, others send 0 for every call. So a new id opens a call, as does a name without id and index, and a name with arguments
   * once the arguments of the previous call are complete.
   */
  #positionOf(delta: Json, fn: Json): number | undefined {
    const id = toolIdOf(delta);
    const { index } = delta;
    const hasIndex = Number.isSafeInteger(index);
    if (id === undefined && !hasIndex && isText(fn["name"])) return undefined;
    const place = this.#calls.findLastIndex((call) => {
      if (id !== undefined) return call.id === id || (call.id === undefined && hasIndex && call.index === index);
      return !hasIndex || call.index === index;
    });
    if (place < 0) return undefined;
    return id === undefined && opensNextCall(fn, this.#calls[place]!) ? undefined : place;
  }
}

/**
 * Sets the arguments in the existing delta of the call, or adds a delta: LangChain does not merge two entries of one call in the same
 * delta.
 */
function addEmptyArguments(index: number, delta: Json, mending: Mending): void {
  const calls = toolCallsOf(delta);
  const fn = calls.findLast((call) => call["index"] === index)?.["function"];
  if (isObject(fn)) mending.set(fn, "arguments", NO_ARGUMENTS, "arguments_empty");
  else mending.set(delta, "tool_calls", [...calls, { index, function: { arguments: NO_ARGUMENTS } }], "arguments_empty");
}

/** A late name is retained if the call has none yet. */
function removeHead(delta: Json, fn: Json, { isNamed }: OpenToolCall, mending: Mending): void {
  mending.remove(delta, "id", "tool_head_repeated");
  mending.remove(delta, "type", "tool_head_repeated");
  if (isNamed || !isText(fn["name"])) mending.remove(fn, "name", "tool_head_repeated");
}

/** Complete JSON arguments cannot continue, so more arguments belong to the next call. */
function opensNextCall({ name, arguments: args }: Json, before: OpenToolCall): boolean {
  return isText(name) && isText(args) && before.isNamed && before.arguments?.isComplete === true;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
