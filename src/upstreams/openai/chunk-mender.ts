import { withField } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import { usageFromWire, usageToWire, type Usage } from "../../vocabulary/usage.ts";
import {
  headOf,
  mendArguments,
  mendFinishReason,
  mendHead,
  mendIndex,
  mendText,
  mendToolCallHead,
  mendUsage,
  textBytesOf,
  toolCallsOf,
  type Head,
} from "./mend.ts";
import type { EventTranslator } from "../dialect.ts";
import { brokeOff, readError, refusalInside } from "../refusal.ts";
import type { UpstreamCall } from "../upstream.ts";
import { Mending } from "./mending.ts";

type Json = Record<string, unknown>;

/** What has been seen of one choice so far. */
interface ChoiceSoFar {
  hasRole: boolean;
  isFinished: boolean;
  /** Each tool call by its place, with the index and id that the upstream gave it. */
  readonly toolCalls: { readonly index: unknown; readonly id: string | undefined }[];
}

/**
 * Checks the chunks of one stream as they pass. A chunk that keeps to the format goes on with its own bytes, only the model's
 * name replaced; one that would break some client is put right first. Token counts are taken out, to be sent once, at the end.
 */
export class ChunkMender implements EventTranslator {
  readonly #model: string;
  readonly #choices = new Map<unknown, ChoiceSoFar>();
  #head: Head | undefined;
  #usage: Usage | undefined;
  #usageChunk: string | undefined;
  #uncountedBytes = 0;

  constructor({ chat }: UpstreamCall) {
    this.#model = JSON.stringify(chat.model);
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  get uncountedBytes(): number {
    return this.#uncountedBytes;
  }

  /** In the upstream's own bytes, where it gave just these counts. */
  usageChunk(usage: Usage, more: Json): string {
    const own = usage === this.#usage ? this.#usageChunk : undefined;
    const chunk = own ?? this.#newChunk([], { usage: usageToWire(usage) });
    return Object.entries(more).reduce((text, [name, value]) => withField(text, name, JSON.stringify(value)), chunk);
  }

  /** Chunks that end every choice which the upstream has not ended. */
  closingChunks(finishReason: string): string[] {
    const open = [...this.#choices].filter(([, choice]) => !choice.isFinished);
    return open.map(([index]) => this.#newChunk([{ index, delta: {}, logprobs: null, finish_reason: finishReason }], {}));
  }

  take(event: string, chunks: string[]): boolean {
    if (event.trimEnd() === "[DONE]") return true;
    const chunk = this.#mend(event);
    if (chunk !== undefined) chunks.push(chunk);
    return false;
  }

  /** The chunk to send for an event, or undefined where it says nothing to the caller. */
  #mend(event: string): string | undefined {
    if (event === "") return undefined;
    const chunk = parseEvent(event);
    if (chunk["error"]) throw refusalInside(readError(chunk["error"]));
    const mending = new Mending();
    mendUsage(chunk, mending);
    const choices = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    if (choices.length === 0) {
      // Azure opens with an empty chunk about its filters, others close with one: naive clients read `choices[0]` of each.
      if (chunk["usage"] != null) this.#keepUsageChunk(chunk, event, mending);
      return undefined;
    }
    for (const [at, choice] of choices.entries()) this.#mendChoice(choice, at, mending);
    if (chunk["usage"] != null) {
      // Some upstreams count on every chunk, some on the last one with text: callers get one count, in a chunk apart.
      this.#keepUsageChunk({ ...chunk }, event, mending);
      mending.set(chunk, "usage", null);
    }
    return this.#write(chunk, event, mending);
  }

  /** A stream that just stops was cut, and must not be taken for an answer. */
  requireFinished(): void {
    const choices = [...this.#choices.values()];
    if (choices.length > 0 && choices.every((choice) => choice.isFinished)) return;
    throw brokeOff(choices.length === 0 ? "the stream ended before its first chunk" : "the stream ended without a finish reason");
  }

  /** Holds the token counts back for the end, in the upstream's own bytes where there is nothing else in them. */
  #keepUsageChunk(chunk: Json, event: string, mending: Mending): void {
    this.#usage = usageFromWire(chunk["usage"]);
    this.#uncountedBytes = 0;
    if (!Array.isArray(chunk["choices"]) || chunk["choices"].length > 0) mending.set(chunk, "choices", []);
    this.#usageChunk = this.#write(chunk, event, mending);
  }

  /** The chunk's text. `id` and `created` are the first chunk's on every chunk. */
  #write(chunk: Json, event: string, mending: Mending): string {
    this.#head ??= headOf(chunk, "chat.completion.chunk");
    mendHead(chunk, this.#head, mending);
    // JSON spread over several `data:` lines has line ends in it, which would end our own line.
    return withField(mending.isNeeded || event.includes("\n") ? JSON.stringify(chunk) : event, "model", this.#model);
  }

  #newChunk(choices: readonly unknown[], more: Json): string {
    this.#head ??= headOf({}, "chat.completion.chunk");
    const { id, object, created } = this.#head;
    return withField(JSON.stringify({ id, object, created, model: "", choices, ...more }), "model", this.#model);
  }

  #mendChoice(choice: unknown, at: number, mending: Mending): void {
    if (!isObject(choice)) throw new Error("a choice that is no object");
    if (choice["finish_reason"] === "error") throw brokeOff("finish_reason: error");
    mendIndex(choice, at, mending);
    if (!isObject(choice["delta"])) mending.set(choice, "delta", {});
    const delta = choice["delta"] as Json;
    const soFar = this.#soFar(choice["index"]);
    // Helpers build the message from its first delta and need the role there.
    if (!soFar.hasRole && delta["role"] !== "assistant") mending.set(delta, "role", "assistant");
    soFar.hasRole = true;
    mendText(delta, mending);
    this.#uncountedBytes += textBytesOf(delta);
    for (const call of toolCallsOf(delta)) mendToolCallDelta(call, soFar, mending);
    mendFinishReason(choice, soFar.toolCalls.length > 0, mending);
    soFar.isFinished ||= choice["finish_reason"] !== null;
  }

  #soFar(index: unknown): ChoiceSoFar {
    let soFar = this.#choices.get(index);
    if (!soFar) this.#choices.set(index, (soFar = { hasRole: false, isFinished: false, toolCalls: [] }));
    return soFar;
  }
}

/** What is wrong with an event goes to the log; what is in it may be an answer, and does not. */
function parseEvent(event: string): Json {
  let chunk: unknown;
  try {
    chunk = JSON.parse(event);
  } catch {
    throw new Error(`an event of ${event.length} characters that is not JSON`);
  }
  if (!isObject(chunk)) throw new Error("an event that is no object");
  return chunk;
}

/** The first piece of a tool call names it; later ones must not repeat what helpers would append. */
function mendToolCallDelta(call: Json, { toolCalls }: ChoiceSoFar, mending: Mending): void {
  if (!isObject(call["function"]) && !isObject(call["custom"])) mending.set(call, "function", {});
  const fn = (call["function"] ?? call["custom"]) as Json;
  mendArguments(fn, mending);
  const known = placeOf(call, fn, toolCalls);
  const place = known ?? toolCalls.push({ index: call["index"], id: idOf(call) }) - 1;
  if (call["index"] !== place) mending.set(call, "index", place);
  if (known === undefined) return mendToolCallHead(call, mending);
  mending.remove(call, "id");
  mending.remove(call, "type");
  mending.remove(fn, "name");
}

/**
 * The place of the tool call that a piece continues, or undefined where it opens one. Gemini's compatible endpoint and Mistral
 * give no index, others give 0 to every call: an id that is new opens a call, as does a name where there is nothing else.
 */
function placeOf(call: Json, fn: Json, toolCalls: ChoiceSoFar["toolCalls"]): number | undefined {
  const id = idOf(call);
  const hasIndex = Number.isSafeInteger(call["index"]);
  const isKnown = (known: { index: unknown; id: string | undefined }): boolean => {
    if (id !== undefined) return known.id === id || (known.id === undefined && hasIndex && known.index === call["index"]);
    return hasIndex ? known.index === call["index"] : true;
  };
  if (id === undefined && !hasIndex && typeof fn["name"] === "string" && fn["name"] !== "") return undefined;
  const place = toolCalls.findLastIndex(isKnown);
  return place < 0 ? undefined : place;
}

function idOf(call: Json): string | undefined {
  return typeof call["id"] === "string" && call["id"] !== "" ? call["id"] : undefined;
}
