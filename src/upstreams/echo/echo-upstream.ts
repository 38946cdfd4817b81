import { randomBase62 } from "../../lib/text/base62.ts";
import { sleep } from "../../requests/sleep.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { deliver, type Consumer } from "../../lib/async/source.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { usageToWire, type Usage } from "../../money/usage.ts";
import type { ChunkStream, Completion, Upstream, UpstreamCall } from "../upstream.ts";
import { readEchoOrders, type EchoOrders } from "./echo-options.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/**
 * A model of our own inside the process, for first runs, demonstrations and tests: it repeats what it was told, streams it
 * word by word, counts words as tokens, and can be told to be slow or to fail (see `echo-orders.ts`).
 */
export class EchoUpstream implements Upstream {
  readonly settings: UpstreamSettings;

  constructor(settings: UpstreamSettings) {
    this.settings = settings;
  }

  async complete({ chat, maxTokens, signal }: UpstreamCall): Promise<Completion> {
    const orders = readEchoOrders(chat.body);
    const answer = new EchoAnswer(chat, maxTokens);
    await wait(orders.delayMs, signal);
    failIfOrdered(orders);
    const text = answer.words.join("");
    if (orders.cutAfter < answer.words.length) throw brokenOff();
    const choices = answer.indexes.map((index) => ({
      index,
      message: { role: "assistant", content: text, refusal: null },
      logprobs: null,
      finish_reason: answer.finishReason,
    }));
    return {
      body: answer.toJson("chat.completion", { choices, usage: usageToWire(answer.usage) }),
      usage: answer.usage,
      uncountedBytes: 0,
    };
  }

  async stream({ chat, maxTokens, signal }: UpstreamCall): Promise<ChunkStream> {
    const orders = readEchoOrders(chat.body);
    await wait(orders.delayMs, signal);
    failIfOrdered(orders);
    return new EchoChunks(new EchoAnswer(chat, maxTokens), orders, signal);
  }
}

/** Like a model, it has a longest answer: 128 choices of a 20 MiB prompt would take gigabytes. */
const MAX_ECHOED_CHARS = 10_000;

/** What the echo says to a request, before it is cut into chunks or not. */
class EchoAnswer {
  readonly id = `chatcmpl-${randomBase62(24)}`;
  readonly created = Math.floor(Date.now() / 1000);
  readonly model: string;
  readonly words: readonly string[];
  readonly indexes: readonly number[];
  readonly finishReason: "stop" | "length";
  readonly usage: Usage;

  constructor(chat: ChatRequest, maxTokens: number | undefined) {
    const { max_tokens: oldName, max_completion_tokens: newName, n } = chat.body;
    const limit = Number(maxTokens ?? newName ?? oldName ?? Number.POSITIVE_INFINITY);
    const said = lastUserText(chat);
    const all = wordsOf(`This is only an echo, not a language model. You said: ${said.slice(0, MAX_ECHOED_CHARS)}`);
    this.model = chat.model;
    this.words = all.slice(0, limit);
    this.indexes = Array.from({ length: Number(n ?? 1) }, (_, index) => index);
    this.finishReason = all.length > limit || said.length > MAX_ECHOED_CHARS ? "length" : "stop";
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
  readonly #answer: EchoAnswer;
  readonly #orders: EchoOrders;
  readonly #signal: CancelSignal;
  #sent = 0;
  #isFinished = false;
  #isCancelled = false;

  constructor(answer: EchoAnswer, orders: EchoOrders, signal: CancelSignal) {
    this.#answer = answer;
    this.#orders = orders;
    this.#signal = signal;
  }

  /** Counted as it goes, so that a cut answer is charged for just what was said. */
  get usage(): Usage {
    return { ...this.#answer.usage, completionTokens: this.#sent * this.#answer.indexes.length };
  }

  readonly uncountedBytes = 0;

  read(taker: Consumer<readonly string[]>): void {
    deliver(this.#next(), taker);
  }

  async #next(): Promise<readonly string[] | undefined> {
    if (this.#isFinished || this.#isCancelled) return undefined;
    if (this.#sent > 0) await wait(this.#orders.delayMs, this.#signal);
    if (this.#sent >= this.#orders.cutAfter) throw brokenOff();
    const word = this.#answer.words[this.#sent];
    if (word === undefined) return this.#finish(this.#answer.finishReason);
    const role = this.#sent === 0 ? { role: "assistant" } : {};
    this.#sent++;
    return [this.#chunk({ ...role, content: word }, null)];
  }

  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return this.#answer.toJson("chat.completion.chunk", { choices: [], usage: usageToWire(usage), ...more });
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
    const choices = this.#answer.indexes.map((index) => ({ index, delta, logprobs: null, finish_reason: finishReason }));
    return this.#answer.toJson("chat.completion.chunk", { choices });
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

/** Each word with the space before it, so that joining them gives the text back. Takes one step for each character. */
function wordsOf(text: string): string[] {
  return text.split(/(?<=\S)(?=\s)/).filter((word) => /\S/.test(word));
}

async function wait(ms: number, signal: CancelSignal): Promise<void> {
  if (ms > 0 || signal.aborted) await sleep(ms, signal);
}

function failIfOrdered({ fail }: EchoOrders): void {
  if (fail !== undefined) throw new GatewayError(fail, "The echo was told to fail.", { retryAfterSeconds: 1 });
}

function brokenOff(): GatewayError {
  return new GatewayError("upstream_error", "The upstream broke off its answer.", { detail: "the echo was told to" });
}
