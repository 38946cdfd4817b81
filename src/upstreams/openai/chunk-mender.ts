import { GatewayError } from "../../vocabulary/gateway-error.ts";
import { withField } from "../../vocabulary/json-text.ts";
import { isObject } from "../../vocabulary/schema.ts";
import { usageFromWire, type Usage } from "../../vocabulary/usage.ts";
import {
  mendArguments,
  mendFinishReason,
  mendHead,
  mendIndex,
  mendText,
  mendUsage,
  toId,
  toolCallsOf,
  toSeconds,
  type Head,
} from "./mend.ts";
import { refusalInside } from "./openai-error.ts";

/** What has been seen of one choice so far. */
interface ChoiceSoFar {
  hasRole: boolean;
  isFinished: boolean;
  /** The index of each tool call, and its id as the upstream gave it. */
  readonly toolCalls: Map<unknown, unknown>;
}

/**
 * Checks the chunks of one stream as they pass. A chunk that keeps to the format goes on with its own bytes, only the model's
 * name replaced; one that would break some client is put right first. Token counts are taken out, to be sent once, at the end.
 */
export class ChunkMender {
  readonly #model: string;
  readonly #choices = new Map<unknown, ChoiceSoFar>();
  #head: Head | undefined;
  #usage: Usage | undefined;
  #usageChunk: string | undefined;

  constructor(model: string) {
    this.#model = JSON.stringify(model);
  }

  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** The chunk to send for an event, or undefined where it says nothing to the caller. */
  mend(event: string): string | undefined {
    const chunk: unknown = JSON.parse(event);
    if (!isObject(chunk)) throw new Error(`an event that is no object: ${event.slice(0, 200)}`);
    if (chunk["error"]) throw refusalInside(chunk["error"]);
    // Azure opens with an empty chunk about its filters, others close with one: naive clients read `choices[0]` of each.
    const choices = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    if (choices.length === 0) return this.#keepUsageChunk(chunk, event);
    let mended = this.#mendHead(chunk);
    mended = this.#takeUsage(chunk) || mended;
    for (const [at, choice] of choices.entries()) mended = this.#mendChoice(choice, at) || mended;
    return withField(mended ? JSON.stringify(chunk) : event, "model", this.#model);
  }

  /** The chunk that carries the token counts, where the upstream gave any. */
  usageChunk(): string | undefined {
    return this.#usageChunk;
  }

  /** A stream that just stops was cut, and must not be taken for an answer. */
  requireFinished(): void {
    const choices = [...this.#choices.values()];
    if (choices.length > 0 && choices.every((choice) => choice.isFinished)) return;
    throw new GatewayError("upstream_error", "The upstream broke off its answer.", {
      detail: choices.length === 0 ? "the stream ended before its first chunk" : "the stream ended without a finish reason",
    });
  }

  /** `id` and `created` are the first chunk's on every chunk. */
  #mendHead(chunk: Record<string, unknown>): boolean {
    this.#head ??= { id: toId(chunk["id"]), object: "chat.completion.chunk", created: toSeconds(chunk["created"]) };
    return mendHead(chunk, this.#head);
  }

  /** Some upstreams count on every chunk, some on the last one that has text, some apart: callers get one count, apart. */
  #takeUsage(chunk: Record<string, unknown>): boolean {
    if (chunk["usage"] == null) return false;
    this.#keepUsageChunk({ ...chunk, choices: [] }, undefined);
    chunk["usage"] = null;
    return true;
  }

  /** Holds a chunk that has only token counts back for the end, with its own bytes where they will do. */
  #keepUsageChunk(chunk: Record<string, unknown>, event: string | undefined): undefined {
    let mended = mendUsage(chunk) || !Array.isArray(chunk["choices"]);
    if (chunk["usage"] == null) return;
    this.#usage = usageFromWire(chunk["usage"]);
    mended = this.#mendHead(chunk) || mended;
    chunk["choices"] = [];
    this.#usageChunk = withField(mended || event === undefined ? JSON.stringify(chunk) : event, "model", this.#model);
  }

  #mendChoice(choice: unknown, at: number): boolean {
    if (!isObject(choice)) throw new Error("a choice that is no object");
    let mended = mendIndex(choice, at);
    if (!isObject(choice["delta"])) {
      choice["delta"] = {};
      mended = true;
    }
    const delta = choice["delta"] as Record<string, unknown>;
    const soFar = this.#soFar(choice["index"]);
    mended = mendRole(delta, soFar) || mended;
    mended = mendText(delta) || mended;
    for (const call of toolCallsOf(delta)) mended = mendToolCallDelta(call, soFar) || mended;
    mended = mendFinishReason(choice, soFar.toolCalls.size > 0) || mended;
    if (choice["finish_reason"] === "error") throw new GatewayError("upstream_error", "The upstream broke off its answer.");
    if (choice["finish_reason"] !== null) soFar.isFinished = true;
    return mended;
  }

  #soFar(index: unknown): ChoiceSoFar {
    let soFar = this.#choices.get(index);
    if (!soFar) this.#choices.set(index, (soFar = { hasRole: false, isFinished: false, toolCalls: new Map() }));
    return soFar;
  }
}

/** Helpers build the message from its first delta and need the role there. */
function mendRole(delta: Record<string, unknown>, soFar: ChoiceSoFar): boolean {
  const isFirst = !soFar.hasRole;
  soFar.hasRole = true;
  if (!isFirst || delta["role"] === "assistant") return false;
  delta["role"] = "assistant";
  return true;
}

/** The first piece of a tool call needs `index`, `id`, `type` and the name; later ones must not repeat what helpers would append. */
function mendToolCallDelta(call: Record<string, unknown>, soFar: ChoiceSoFar): boolean {
  let mended = mendIndex(call, guessIndex(call, soFar));
  const isFirst = !soFar.toolCalls.has(call["index"]);
  if (isFirst) soFar.toolCalls.set(call["index"], call["id"]);
  if (!isObject(call["function"]) && !isObject(call["custom"])) {
    call["function"] = {};
    mended = true;
  }
  const fn = (call["function"] ?? call["custom"]) as Record<string, unknown>;
  mended = mendArguments(fn) || mended;
  const repeated = isFirst ? [] : [...ownKeys(call, "id", "type"), ...ownKeys(fn, "name")];
  if (repeated.length > 0) {
    delete call["id"];
    delete call["type"];
    delete fn["name"];
    mended = true;
  }
  if (isFirst && typeof call["id"] !== "string") {
    call["id"] = `call_${crypto.randomUUID()}`;
    mended = true;
  }
  if (isFirst && typeof call["type"] !== "string") {
    call["type"] = "function";
    mended = true;
  }
  return mended;
}

/** Gemini's compatible endpoint and Mistral give no index: a new id opens the next call, anything else continues one. */
function guessIndex(call: Record<string, unknown>, { toolCalls }: ChoiceSoFar): unknown {
  const known = [...toolCalls].find(([, id]) => id === call["id"]);
  if (known && call["id"] !== undefined) return known[0];
  return typeof call["id"] === "string" ? toolCalls.size : Math.max(0, toolCalls.size - 1);
}

function ownKeys(value: Record<string, unknown>, ...names: readonly string[]): string[] {
  return names.filter((name) => Object.hasOwn(value, name));
}
