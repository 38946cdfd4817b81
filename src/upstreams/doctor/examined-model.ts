import { DEFAULT_TIMEOUTS, credentialsOf, type Timeouts } from "../../models/upstream-settings.ts";
import type { Deviation } from "../../models/deviation.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { topLevelFields } from "../../lib/json/json-text.ts";
import { mapParameters, type ParameterMapping } from "../../models/parameters/parameters.ts";
import { next } from "../../lib/async/source.ts";
import type { Usage } from "../../money/usage.ts";
import { safeMessage } from "../refusal.ts";
import type { ChunkStream, Upstream, UpstreamCall } from "../upstream.ts";
import { hearChunks, hearCompletion, type Heard } from "./read-response.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** What is asked: the body of a request, without what says which model and how. */
export interface Question {
  readonly messages: readonly Record<string, unknown>[];
  readonly [parameter: string]: unknown;
}

/** Enough for a model that thinks before it says one word, and little enough for one that never ends to cost next to nothing. */
const MAX_TOKENS = 256;

/** For each call, whatever the upstream's own timeouts are: an operator is waiting. */
const PATIENCE_MS = 30_000;

/** A model at an upstream, to be asked one thing after the other. */
export class Patient {
  readonly upstream: Upstream;
  readonly model: string;
  readonly signal: CancelSignal;
  readonly deviations = new Set<Deviation>();
  /** Its answers to the plain question, for whoever looks at them again. */
  heardWhole: Heard | undefined;
  heardStreamed: Heard | undefined;
  #tokens = 0;

  constructor(upstream: Upstream, model: string, signal: CancelSignal) {
    this.upstream = upstream;
    this.model = model;
    this.signal = signal;
  }

  get tokens(): number {
    return this.#tokens;
  }

  async ask(question: Question, model = this.model): Promise<Heard> {
    const { body, usage } = await this.upstream.complete(this.#call(question, { stream: false, model, signal: this.signal }));
    this.#count(usage);
    return hearCompletion(body, usage);
  }

  async askForStream(question: Question): Promise<Heard> {
    const stream = await this.open(question, this.signal);
    const chunks: string[] = [];
    for (let batch = await next(stream); batch; batch = await next(stream)) chunks.push(...batch);
    this.#count(stream.usage);
    return hearChunks(chunks, stream.usage);
  }

  /** A stream to be read, and left, by whoever opened it. */
  open(question: Question, signal: CancelSignal): Promise<ChunkStream> {
    return this.upstream.stream(this.#call(question, { stream: true, model: this.model, signal }));
  }

  /** Whether a parameter never reaches this upstream, because its dialect or its preset knows no such thing. */
  leavesOut(question: Question, parameter: string): boolean {
    try {
      return this.#carriageOf(question).dropped.includes(parameter);
    } catch {
      return true;
    }
  }

  /** Words of the upstream, without our secrets there. They are cut when all are out: half of one is a secret too. */
  safe(words: string): string {
    const redacted = credentialsOf(this.upstream.settings).reduce((text, credential) => credential.redactFrom(text), words);
    return safeMessage(redacted, undefined);
  }

  #call(question: Question, { stream, model, signal }: { stream: boolean; model: string; signal: CancelSignal }): UpstreamCall {
    const body = { model: this.model, ...question, stream };
    const text = JSON.stringify(body);
    const byteText = toByteText(text);
    const asked = { byteText, fields: topLevelFields(byteText), outline: body, text, body, messages: question.messages };
    return {
      chat: { ...asked, model: this.model, stream, includeUsage: false },
      upstreamModel: model,
      carriage: this.#carriageOf(question),
      maxTokens: MAX_TOKENS,
      reckonedTokens: MAX_TOKENS,
      credential: credentialsOf(this.upstream.settings)[0],
      timeouts: this.#timeouts(),
      signal,
      report: (deviation) => void this.deviations.add(deviation),
    };
  }

  #carriageOf(question: Question): ParameterMapping {
    return mapParameters(question, parameterRules(this.upstream.settings, this.model), {});
  }

  #timeouts(): Timeouts {
    const { settings } = this.upstream;
    const own = settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts;
    return {
      connectMs: atMost(own.connectMs),
      firstByteMs: atMost(own.firstByteMs),
      betweenChunksMs: atMost(own.betweenChunksMs),
      totalMs: atMost(own.totalMs),
    };
  }

  #count(usage: Usage | undefined): void {
    if (usage) this.#tokens += usage.promptTokens + usage.completionTokens;
  }
}

function atMost(ms: number): number {
  return Math.min(ms, PATIENCE_MS);
}
