import type { ComparedResponse } from "../requests/mirror-result.ts";
import type { Upstream, UpstreamCall, ChunkStream } from "../upstreams/upstream.ts";
import type { Mirror } from "../models/catalog.ts";
import { parameterRules } from "../models/parameters/dialect-parameters.ts";
import { DEFAULT_TIMEOUTS } from "../models/timeouts.ts";
import { ApiError } from "../requests/api-error.ts";
import type { ChatRequest } from "../requests/chat-request.ts";
import { mapParameters } from "../requests/map-parameters.ts";
import { outcomeOf } from "../requests/outcome-of.ts";
import type { EndedRequest, MirroredRequest } from "../requests/request-notes.ts";
import type { Admission } from "./admission/admission.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import { isUnrelatedToHealth } from "./routing/attempts.ts";
import type { UpstreamState, UpstreamStates } from "./routing/health/upstream-state.ts";
import { next } from "../lib/async/source.ts";
import type { Usage } from "../money/usage.ts";
import { type MirrorState, Mirrors } from "./mirrors.ts";
import { operatorMessageOf } from "../requests/operator-message.ts";

/**
 * A request whose copy is sent to the mirror when the response has ended. It retains only the needed parts of the request, not the
 * exchange, which would retain the connection.
 */
class SampledRequest implements MirroredRequest {
  readonly #mirror: Mirror;
  readonly #mirrors: Mirrors;
  readonly #chat: ChatRequest;
  /** What the request has taken of the memory of mirrors. */
  readonly #bytes: number;
  /** The terms of the requested model, even if a fallback serves the caller. */
  readonly #terms: Pick<Admission, "model" | "maxTokens" | "maxOutputTokens" | "findUpstream">;
  readonly #states: UpstreamStates;
  #finishReason: string | null = null;

  constructor(mirror: Mirror, { modelRequest, admission, gateway }: AdmittedRequest) {
    this.#mirror = mirror;
    this.#mirrors = gateway.mirrors;
    this.#chat = modelRequest.chatFor("openai");
    this.#bytes = modelRequest.byteText.length;
    const { model, maxTokens, maxOutputTokens, findUpstream } = admission;
    this.#terms = { model, maxTokens, maxOutputTokens, findUpstream };
    this.#states = gateway.upstreamStates;
  }

  received(pieces: readonly string[]): void {
    for (const piece of pieces) this.#finishReason ??= finishReasonIn(piece);
  }

  /** Called when the caller's response has ended. The last bytes of the response may still be unwritten, and are written first. */
  ended(ended: EndedRequest): void {
    // The request log keeps the notes for a while, and must not keep the prompt.
    ended.notes.mirror = undefined;
    const response = this.#compared(ended);
    const { identities } = ended.notes;
    setImmediate(() => void this.#run(ended.requestId, response, identities));
  }

  async #run(requestId: string, response: ComparedResponse | undefined, identities: UpstreamCall["identities"]): Promise<void> {
    try {
      if (response) await this.#send(requestId, response, identities);
    } finally {
      this.#mirrors.release(this.#bytes);
    }
  }

  async #send(requestId: string, response: ComparedResponse, identities: UpstreamCall["identities"]): Promise<void> {
    const upstream = this.#terms.findUpstream(this.#mirror.upstream);
    if (this.#mirrors.stopped.aborted) return this.#mirrors.drop("stopped");
    if (!upstream) return this.#mirrors.drop("unavailable");
    const upstreamState = this.#states.of(upstream);
    const state = this.#mirrors.stateOf(upstream, this.#mirror.upstreamModel);
    if (!state) return;
    state.inFlight++;
    try {
      const { mirror, error } = await this.#call(upstream, upstreamState, state, identities);
      if (this.#mirrors.stopped.aborted) return this.#mirrors.drop("stopped");
      if (!mirror) return this.#mirrors.drop("unavailable");
      const { upstream: id, upstreamModel } = this.#mirror;
      const detail = error === undefined ? null : operatorMessageOf(error);
      this.#mirrors.record({ requestId, model: this.#terms.model.id, upstream: id, upstreamModel, response, mirror, detail });
    } finally {
      state.inFlight--;
    }
  }

  /** Returns no mirrored response if the upstream has no free credential or slot: callers come first. */
  async #call(
    upstream: Upstream,
    { credentials, slots }: UpstreamState,
    { breaker }: MirrorState,
    identities: UpstreamCall["identities"],
  ): Promise<{ mirror?: ComparedResponse; error?: unknown }> {
    const credential = credentials.find((each) => each.cooldownMs(this.#mirror.upstreamModel) === 0);
    if (!credential || slots.isFull) return {};
    const routed = breaker.begin();
    const call = this.#toCall(upstream, credential.secret, identities);
    if (call instanceof ApiError) {
      breaker.rejected(routed);
      return { mirror: rejectedResponse(call.status), error: call };
    }
    const slot = await Promise.resolve(slots.take(this.#mirrors.stopped)).catch(() => undefined);
    if (!slot) {
      breaker.rejected(routed);
      return {};
    }
    const called = await callMirror(upstream, call);
    slot.release();
    const fault = called.error instanceof ApiError ? called.error.fault : undefined;
    if (fault && !isUnrelatedToHealth(fault)) breaker.failed(routed);
    else if (fault || this.#mirrors.stopped.aborted) breaker.rejected(routed);
    else {
      breaker.succeeded();
      if (!breaker.isStale(routed)) breaker.close();
    }
    return called;
  }

  #toCall(upstream: Upstream, credential: UpstreamCall["credential"], identities: UpstreamCall["identities"]): UpstreamCall | ApiError {
    const { settings } = upstream;
    const chat = this.#chat;
    const { model, maxTokens, maxOutputTokens } = this.#terms;
    const { parameters, unknownParameters = settings.unknownParameters } = model;
    const { upstreamModel } = this.#mirror;
    try {
      return {
        chat,
        model: model.id,
        upstreamModel,
        parameterMapping: mapParameters(chat.outline, parameterRules(settings, upstreamModel), parameters, unknownParameters),
        maxTokens,
        maxOutputTokens,
        credential,
        timeouts: settings.dialect === "echo" ? DEFAULT_TIMEOUTS : settings.timeouts,
        signal: this.#mirrors.stopped,
        identities,
        report: () => undefined,
      };
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  /**
   * The caller's response from its last attempt. Undefined if there is nothing to compare: no attempt was made, or the client disconnected.
   */
  #compared(ended: EndedRequest): ComparedResponse | undefined {
    const { status, endedAt, notes } = ended;
    const attempt = notes.attempts.at(-1);
    if (!attempt || attempt.durationMs === undefined || outcomeOf(ended) === "client_closed") return undefined;
    const isStreamed = notes.isStream && attempt.outcome === "answered";
    const usage = notes.charge?.provenance === "measured" ? notes.charge.usage : undefined;
    return {
      status,
      finishReason: this.#finishReason,
      promptTokens: usage?.promptTokens ?? null,
      completionTokens: usage?.completionTokens ?? null,
      firstByteMs: isStreamed ? round(attempt.durationMs) : null,
      durationMs: round(isStreamed ? endedAt - attempt.startedAt : attempt.durationMs),
    };
  }
}

/** The request was not sent: the mirror does not support one of its parameters. */
function rejectedResponse(status: number): ComparedResponse {
  return { status, finishReason: null, promptTokens: null, completionTokens: null, firstByteMs: null, durationMs: 0 };
}

/** Milliseconds, rounded to the microsecond. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The response of a mirror, and the error if the call failed. */
interface MirrorCall {
  readonly mirror: ComparedResponse;
  readonly error?: unknown;
}

/** Calls the mirror in the same way as the caller called the model (stream or JSON), and reads the response to its end. Never throws. */
async function callMirror(upstream: Upstream, call: UpstreamCall): Promise<MirrorCall> {
  const reading = new ResponseMeasurement();
  try {
    if (call.chat.stream) await readStream(await upstream.stream(call), call, reading);
    else {
      const { body, usage } = await upstream.complete(call);
      reading.finishReason = finishReasonIn(body);
      reading.usage = usage;
    }
    return { mirror: reading.end(200) };
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 502;
    // A stream that breaks off already has a status, like the caller's stream.
    return { mirror: reading.end(reading.firstByteMs === null ? status : 200), error };
  }
}

async function readStream(chunks: ChunkStream, { signal }: UpstreamCall, reading: ResponseMeasurement): Promise<void> {
  reading.firstByteMs = reading.elapsedMs;
  const cancel = (): void => chunks.cancel();
  signal.addEventListener("abort", cancel);
  try {
    for (let events = await next(chunks); events; events = await next(chunks)) {
      for (const event of events) reading.finishReason ??= finishReasonIn(event);
    }
    reading.usage = chunks.usage;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** Measures a response while it is read. */
class ResponseMeasurement {
  readonly #startedAt = performance.now();
  finishReason: string | null = null;
  usage: Usage | undefined;
  firstByteMs: number | null = null;

  /** Rounded to the microsecond. */
  get elapsedMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
  }

  end(status: number): ComparedResponse {
    const { finishReason, usage, firstByteMs, elapsedMs: durationMs } = this;
    const [promptTokens, completionTokens] = [usage?.promptTokens ?? null, usage?.completionTokens ?? null];
    return { status, finishReason, promptTokens, completionTokens, firstByteMs, durationMs };
  }
}

/** Quotes within a string are escaped, so that the text of a response cannot look like this field. */
const FINISH_REASON = /"finish_reason"\s*:\s*"([^"\\]{1,60})"/;

/** The finish reason in a response or in one of its chunks; the first one if there are several choices. Null if there is none. */
export function finishReasonIn(json: string): string | null {
  return FINISH_REASON.exec(json)?.[1] ?? null;
}

/**
 * Decides whether a request of a model with a mirror is sampled. A sampled request is stored in the notes, which send the copy when the
 * request has ended.
 */
export function sampleForMirror(request: AdmittedRequest): void {
  const { modelRequest, exchange, admission, gateway } = request;
  const { mirror } = admission.model;
  if (!mirror || !isSampled(exchange.requestId, mirror.percent)) return;
  if (gateway.mirrors.take(modelRequest.byteText.length)) exchange.notes.mirror = new SampledRequest(mirror, request);
}

const RANGE = 2 ** 32;

/**
 * Decides by the last 32 bits of the request id, which are random: a request that is sampled at one percentage is sampled at every higher
 * one, too.
 */
export function isSampled(requestId: string, percent: number): boolean {
  return Number.parseInt(requestId.slice(-8), 16) * 100 < percent * RANGE;
}
