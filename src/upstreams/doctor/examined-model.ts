import { credentialsOf } from "../../models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "../../models/timeouts.ts";
import type { Deviation } from "../../models/deviation.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import { toByteText, type ByteText } from "../../lib/text/byte-text.ts";
import { rewriteText, type NewNames, type NewValues } from "../../requests/chat-request.ts";
import { topLevelFields } from "../../lib/json/json-text.ts";
import { NO_CHANGES, type ParameterMapping } from "../../models/parameters/parameter-policy.ts";
import { mapParameters } from "../../requests/map-parameters.ts";
import { next } from "../../lib/async/source.ts";
import type { Usage } from "../../money/usage.ts";
import { safeMessage } from "../refusal.ts";
import { SentCredentials } from "../sent-credentials.ts";
import type { ChunkStream, Upstream, UpstreamCall } from "../upstream.ts";
import { readChunks, readCompletion, readEmbeddings, type ReadEmbeddings, type ReadResponse } from "./read-response.ts";
import type { CancelSignal } from "../../lib/async/cancellation.ts";

/** The body of a test request, without `model` and `stream`. */
export interface TestRequest {
  readonly messages: readonly Record<string, unknown>[];
  readonly [parameter: string]: unknown;
}

/** The body of a test request for embeddings, without `model`. */
export interface EmbeddingsTest {
  readonly input: readonly string[];
  readonly encoding_format: "float" | "base64";
}

/** Enough for a model that reasons first, and small enough that a model that never stops costs next to nothing. */
const MAX_TOKENS = 256;

/** The time limit of each call, whatever the upstream's own timeouts are: an operator waits for the result. */
const TIMEOUT_MS = 30_000;

/** A model at an upstream, under examination. */
export class ExaminedModel {
  readonly upstream: Upstream;
  readonly model: string;
  readonly signal: CancelSignal;
  readonly deviations = new Set<Deviation>();
  /** The responses to the plain request, which later checks use. */
  jsonResponse: ReadResponse | undefined;
  streamedResponse: ReadResponse | undefined;
  /** The embeddings of the first request, which later checks compare. */
  embeddings: ReadEmbeddings | undefined;
  readonly #sent = new SentCredentials();
  #tokens = 0;

  constructor(upstream: Upstream, model: string, signal: CancelSignal) {
    for (const credential of credentialsOf(upstream.settings)) this.#sent.add(credential);
    this.upstream = upstream;
    this.model = model;
    this.signal = signal;
  }

  get tokens(): number {
    return this.#tokens;
  }

  get hasResponded(): boolean {
    return [this.jsonResponse, this.streamedResponse, this.embeddings].some((response) => response !== undefined);
  }

  async complete(request: TestRequest, model = this.model): Promise<ReadResponse> {
    const { body, usage } = await this.upstream.complete(this.#call(request, { stream: false, model, signal: this.signal }));
    this.#count(usage);
    return readCompletion(body, usage);
  }

  async stream(request: TestRequest): Promise<ReadResponse> {
    const stream = await this.open(request, this.signal);
    const chunks: string[] = [];
    for (let batch = await next(stream); batch; batch = await next(stream)) chunks.push(...batch);
    this.#count(stream.usage);
    return readChunks(chunks, stream.usage);
  }

  /** Opens a stream, which the caller reads and cancels. */
  open(request: TestRequest, signal: CancelSignal): Promise<ChunkStream> {
    return this.upstream.stream(this.#call(request, { stream: true, model: this.model, signal }));
  }

  async embed(request: EmbeddingsTest, model = this.model): Promise<ReadEmbeddings> {
    const { upstream } = this;
    if (upstream.relays?.("embeddings", model) !== true)
      throw new Error(`upstreams of the format ${upstream.settings.dialect} do not serve embeddings`);
    const body = { model: this.model, ...request };
    const relayed = { ...sentBody(body), relayedAs: "embeddings", formatHeaders: {}, model: this.model, stream: false } as const;
    const options = this.#optionsOf(model, this.signal);
    const { body: reply, usage } = await upstream.complete({
      ...options,
      relayed,
      formatHeaders: {},
      parameterMapping: NO_CHANGES,
      maxTokens: undefined,
      premium: undefined,
    });
    this.#count(usage);
    return readEmbeddings(reply, usage);
  }

  /** Whether a parameter is never sent to this upstream, because its dialect or preset does not support it. */
  drops(request: TestRequest, parameter: string): boolean {
    try {
      return this.#mappingOf(request).dropped.includes(parameter);
    } catch {
      return true;
    }
  }

  /** Redacts all credentials from an upstream's message, then truncates it: half of a credential is a secret too. */
  redact(message: string): string {
    return safeMessage(message, this.#sent);
  }

  #call(request: TestRequest, { stream, model, signal }: { stream: boolean; model: string; signal: CancelSignal }): UpstreamCall {
    const body = { model: this.model, ...request, stream };
    const sent = sentBody(body);
    const rewrite = (values: NewValues, names?: NewNames): ByteText[] => rewriteText(sent, values, names);
    return {
      ...this.#optionsOf(model, signal),
      chat: { ...sent, messages: request.messages, rewrite, model: this.model, stream, includeUsage: false },
      parameterMapping: this.#mappingOf(request),
      maxTokens: MAX_TOKENS,
      maxOutputTokens: MAX_TOKENS,
    };
  }

  #optionsOf(upstreamModel: string, signal: CancelSignal) {
    return {
      model: this.model,
      upstreamModel,
      credential: credentialsOf(this.upstream.settings)[0],
      sent: this.#sent,
      timeouts: this.#timeouts(),
      signal,
      report: (deviation: Deviation) => void this.deviations.add(deviation),
    };
  }

  #mappingOf(request: TestRequest): ParameterMapping {
    return mapParameters(request, parameterRules(this.upstream.settings, this.model), {});
  }

  #timeouts(): Timeouts {
    const { settings } = this.upstream;
    const own = settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts;
    return {
      connectMs: atMost(own.connectMs),
      firstByteMs: atMost(own.firstByteMs),
      betweenChunksMs: atMost(own.betweenChunksMs),
      ...(own.nonStreamedMs !== undefined && { nonStreamedMs: atMost(own.nonStreamedMs) }),
      totalMs: atMost(own.totalMs),
    };
  }

  #count(usage: Usage | undefined): void {
    if (usage) this.#tokens += usage.promptTokens + usage.completionTokens;
  }
}

/** A body as the gateway has it after it was read. */
function sentBody(body: Readonly<Record<string, unknown>>) {
  const text = JSON.stringify(body);
  const byteText = toByteText(text);
  return { byteText, fields: topLevelFields(byteText), outline: body, outlineText: byteText, text, body };
}

function atMost(ms: number): number {
  return Math.min(ms, TIMEOUT_MS);
}
