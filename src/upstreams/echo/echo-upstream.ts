import { randomBase62 } from "../../lib/text/base62.ts";
import { reasonOf } from "../../requests/cancellation-reason.ts";
import { sleep } from "../../lib/async/sleep.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError, refuseViolation, type ErrorCode } from "../../requests/api-error.ts";
import { deliver, type Consumer } from "../../lib/async/source.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { usageToWire, type Usage } from "../../money/usage.ts";
import type { ChunkStream, Completion, Upstream, UpstreamCall } from "../upstream.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";
import { findViolation, atStep, type Schema } from "../../lib/schema/schema.ts";

/**
 * A built-in model inside the process, for first runs, demonstrations and tests: it repeats the last user message, streams it word by
 * word, counts words as tokens, and delays or fails on request (see `echo-options.ts`).
 */
export class EchoUpstream implements Upstream {
  readonly settings: UpstreamSettings;

  constructor(settings: UpstreamSettings) {
    this.settings = settings;
  }

  async complete({ chat, model, maxTokens, signal }: UpstreamCall): Promise<Completion> {
    const options = readEchoOptions(chat.body);
    const response = new EchoResponse(chat, model, maxTokens);
    await wait(options.delayMs, signal);
    failIfRequested(options);
    const text = response.words.join("");
    if (options.cutAfter < response.words.length) throw brokenOff();
    const choices = response.indexes.map((index) => ({
      index,
      message: { role: "assistant", content: text, refusal: null },
      logprobs: null,
      finish_reason: response.finishReason,
    }));
    return {
      body: response.toJson("chat.completion", { choices, usage: usageToWire(response.usage) }),
      usage: response.usage,
      uncountedBytes: 0,
    };
  }

  async stream({ chat, model, maxTokens, signal }: UpstreamCall): Promise<ChunkStream> {
    const options = readEchoOptions(chat.body);
    await wait(options.delayMs, signal);
    failIfRequested(options);
    return new EchoChunks(new EchoResponse(chat, model, maxTokens), options, signal);
  }
}

/** Bounds memory: 128 choices of a 20 MiB prompt would take gigabytes. */
const MAX_ECHOED_CHARS = 10_000;

/** The content of a response, for both JSON and streamed responses. */
class EchoResponse {
  readonly id = `chatcmpl-${randomBase62(24)}`;
  readonly created = Math.floor(Date.now() / 1000);
  readonly model: string;
  readonly words: readonly string[];
  readonly indexes: readonly number[];
  readonly finishReason: "stop" | "length";
  readonly usage: Usage;

  constructor(chat: ChatRequest, model: string, maxTokens: number | undefined) {
    const { max_tokens: oldName, max_completion_tokens: newName, n } = chat.body;
    const limit = Number(maxTokens ?? newName ?? oldName ?? Number.POSITIVE_INFINITY);
    const prompt = lastUserText(chat);
    const all = wordsOf(`This is only an echo, not a language model. You said: ${prompt.slice(0, MAX_ECHOED_CHARS)}`);
    this.model = model;
    this.words = all.slice(0, limit);
    this.indexes = Array.from({ length: Number(n ?? 1) }, (_, index) => index);
    this.finishReason = all.length > limit || prompt.length > MAX_ECHOED_CHARS ? "length" : "stop";
    this.usage = {
      promptTokens: chat.messages.reduce((sum, message) => sum + wordsOf(textOf(message["content"])).length, 0),
      completionTokens: this.words.length * this.indexes.length,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    };
  }

  toJson(object: string, rest: object): string {
    return JSON.stringify({ id: this.id, object, created: this.created, model: this.model, ...rest });
  }
}

class EchoChunks implements ChunkStream {
  readonly #response: EchoResponse;
  readonly #options: EchoOptions;
  readonly #signal: CancelSignal;
  #sent = 0;
  #isFinished = false;
  #isCancelled = false;

  constructor(response: EchoResponse, options: EchoOptions, signal: CancelSignal) {
    this.#response = response;
    this.#options = options;
    this.#signal = signal;
  }

  /** Counts only the words sent so far, so that a cut response is charged for those words only. */
  get usage(): Usage {
    return { ...this.#response.usage, completionTokens: this.#sent * this.#response.indexes.length };
  }

  readonly uncountedBytes = 0;

  read(consumer: Consumer<readonly string[]>): void {
    deliver(this.#next(), consumer);
  }

  async #next(): Promise<readonly string[] | undefined> {
    if (this.#isFinished || this.#isCancelled) return undefined;
    if (this.#sent > 0) await wait(this.#options.delayMs, this.#signal);
    if (this.#sent >= this.#options.cutAfter) throw brokenOff();
    const word = this.#response.words[this.#sent];
    if (word === undefined) return this.#finish(this.#response.finishReason);
    const role = this.#sent === 0 ? { role: "assistant" } : {};
    this.#sent++;
    return [this.#chunk({ ...role, content: word }, null)];
  }

  endEvents(usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[] {
    return [this.#response.toJson("chat.completion.chunk", { choices: [], usage: usageToWire(usage), ...more })];
  }

  stop(): readonly string[] {
    return this.#finish("length");
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  #finish(finishReason: string): string[] {
    this.#isFinished = true;
    return [this.#chunk({}, finishReason)];
  }

  #chunk(delta: object, finishReason: string | null): string {
    const choices = this.#response.indexes.map((index) => ({ index, delta, logprobs: null, finish_reason: finishReason }));
    return this.#response.toJson("chat.completion.chunk", { choices });
  }
}

function lastUserText(chat: ChatRequest): string {
  return textOf(chat.messages.findLast((message) => message["role"] === "user")?.["content"]);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join(" ");
}

/** Splits into words with their leading whitespace, so that joining them restores the text. Runs in linear time. */
function wordsOf(text: string): string[] {
  return text.split(/(?<=\S)(?=\s)/).filter((word) => /\S/.test(word));
}

async function wait(ms: number, signal: CancelSignal): Promise<void> {
  if (ms > 0) await sleep(ms, signal);
  if (signal.aborted) throw reasonOf(signal);
}

function failIfRequested({ fail }: EchoOptions): void {
  if (fail !== undefined) throw new ApiError(fail, "The request asked the echo model to fail.", { retryAfterSeconds: 1 });
}

function brokenOff(): ApiError {
  return new ApiError("upstream_error", "The upstream broke off its answer.", { detail: "the request asked the echo model to" });
}

/** Faults that a request can inject with the field `echo` of its body: `"echo": {"delay_ms": 200, "cut_after": 3}`. */
interface EchoOptions {
  /** The delay before each word of a stream, or before a JSON response. */
  readonly delayMs: number;
  /** The error to return. */
  readonly fail: ErrorCode | undefined;
  /** The number of words after which the response breaks off. */
  readonly cutAfter: number;
}

const FAILURES = ["upstream_error", "overloaded", "no_upstream_available", "upstream_timeout"] as const satisfies readonly ErrorCode[];

const optionsSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    delay_ms: { type: "integer", minimum: 0, maximum: 60_000 },
    fail: { type: "string", enum: FAILURES },
    cut_after: { type: "integer", minimum: 0 },
  },
} as const satisfies Schema;

function readEchoOptions(body: Readonly<Record<string, unknown>>): EchoOptions {
  const options = body["echo"] ?? {};
  const violation = findViolation(optionsSchema, options);
  if (violation) refuseViolation(atStep("echo", violation));
  const { delay_ms: delayMs, fail, cut_after: cutAfter } = options as { delay_ms?: number; fail?: ErrorCode; cut_after?: number };
  return { delayMs: delayMs ?? 0, fail, cutAfter: cutAfter ?? Number.POSITIVE_INFINITY };
}
