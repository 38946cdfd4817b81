import type { Attempt } from "../../requests/attempt.ts";
import { outcomeOf } from "../../requests/outcome-of.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import { timingsOf } from "../../requests/request-timings.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { ResponseSummary } from "./response-summary.ts";
import type { TracedRequest } from "./traced-request.ts";
import { attributionAttributes, parameterAttributes, usageAttributes } from "./request-attributes.ts";
import type { Attributes, Span } from "./span.ts";
import { describeUpstream } from "./upstream-description.ts";

export type FindUpstream = (id: string) => UpstreamSettings | undefined;

const NANOS_PER_MS = 1_000_000;

/** Builds the spans of a request: its server span, and a client span for each attempt at an upstream. */
export function buildSpans(
  ended: EndedRequest,
  request: TracedRequest,
  findUpstream: FindUpstream,
  hide: (text: string) => string,
): Span[] {
  const context = {
    ended,
    request,
    answer: request.answer(),
    parameters: parameterAttributes(request.parameters),
    usage: usageAttributes(ended.notes.charge?.usage),
    findUpstream,
  };
  const attempts = ended.notes.attempts.flatMap((attempt, at) =>
    attempt.spanId === undefined ? [] : attemptSpan(attempt, attempt.spanId, at, context),
  );
  return [requestSpan(context, contentAttributes(context, hide)), ...attempts];
}

interface SpanContext {
  readonly ended: EndedRequest;
  readonly request: TracedRequest;
  readonly answer: ResponseSummary;
  readonly parameters: Attributes;
  readonly usage: Attributes;
  readonly findUpstream: FindUpstream;
}

function requestSpan({ ended, request, answer, parameters, usage, findUpstream }: SpanContext, content: Attributes): Span {
  const { notes, status, startedAt, endedAt } = ended;
  const last = notes.attempts.at(-1)?.upstream;
  return {
    traceId: request.traceId,
    spanId: request.spanId,
    parentId: request.parentId,
    hasRemoteParent: request.parentId !== undefined,
    state: request.state,
    name: named(notes.model),
    kind: "server",
    startNanos: nanosAt(startedAt, ended),
    endNanos: nanosAt(endedAt, ended),
    attributes: [
      ["gen_ai.operation.name", "chat"],
      ["gen_ai.provider.name", last && (describeUpstream(findUpstream(last)).provider ?? last)],
      ["gen_ai.request.model", notes.model],
      ["gen_ai.response.model", notes.fallback?.model],
      ...parameters,
      ["gen_ai.response.id", answer.id],
      ["gen_ai.response.finish_reasons", answer.finishReasons],
      ["gen_ai.response.time_to_first_chunk", inSeconds(timingsOf(ended).firstTokenMs)],
      ...usage,
      ["http.request.method", ended.method],
      ["http.route", ended.path],
      ["http.response.status_code", BigInt(status)],
      ["error.type", notes.code],
      ...ownAttributes(ended),
      ...attributionAttributes(notes.attribution),
      ...content,
    ],
    // A rejection is the client's error, and not an error of the server span (semantic conventions for HTTP).
    isError: status >= 500 || notes.end === "failed",
  };
}

/** Attributes specific to Tollgate. Ids, not names. */
function ownAttributes(ended: EndedRequest): Attributes {
  const { requestId, notes } = ended;
  const { charge } = notes;
  return [
    ["tollgate.request_id", requestId],
    ["tollgate.key", notes.keyId],
    ["tollgate.account", notes.accountId],
    ["tollgate.outcome", outcomeOf(ended)],
    ["tollgate.attempts", BigInt(notes.attempts.length)],
    ["tollgate.cache", notes.cache],
    ["tollgate.replayed", notes.replayed],
    ["tollgate.fallback", notes.fallback?.reason],
    ["tollgate.cost", charge && Number(charge.amountNanos) / 1e9],
    ["tollgate.provenance", charge?.provenance],
  ];
}

function attemptSpan(attempt: Attempt, spanId: string, at: number, context: SpanContext): Span {
  const { ended, request, findUpstream } = context;
  const { provider = attempt.upstream, address, port } = describeUpstream(findUpstream(attempt.upstream));
  const error = errorOfAttempt(attempt, ended);
  return {
    traceId: request.traceId,
    spanId,
    parentId: request.spanId,
    hasRemoteParent: false,
    state: request.state,
    name: named(attempt.upstreamModel),
    kind: "client",
    startNanos: nanosAt(attempt.startedAt, ended),
    endNanos: nanosAt(endOfAttempt(attempt, ended), ended),
    attributes: [
      ["gen_ai.operation.name", "chat"],
      ["gen_ai.provider.name", provider],
      ["gen_ai.request.model", attempt.upstreamModel],
      ...context.parameters,
      ["server.address", address],
      ["server.port", port],
      ...(attempt.outcome === "answered" ? answerAttributes(attempt, context) : []),
      ["error.type", error],
      ["tollgate.upstream", attempt.upstream],
      ["tollgate.attempt.number", BigInt(at + 1)],
      ["tollgate.attempt.outcome", attempt.outcome],
      ["tollgate.attempt.fallback", attempt.fallback],
    ],
    isError: error !== undefined,
  };
}

function answerAttributes({ durationMs }: Attempt, { ended, answer, usage }: SpanContext): Attributes {
  return [
    ["gen_ai.response.id", answer.id],
    ["gen_ai.response.finish_reasons", answer.finishReasons],
    ["gen_ai.response.time_to_first_chunk", ended.notes.isStream ? inSeconds(durationMs) : undefined],
    ...usage,
  ];
}

/** The error of an attempt: our error code if the upstream rejected the request, otherwise the kind of fault. */
function errorOfAttempt({ outcome }: Attempt, { notes: { code, end } }: EndedRequest): string | undefined {
  if (outcome === undefined || outcome === "abandoned") return undefined;
  if (outcome === "refused") return code ?? outcome;
  if (outcome !== "answered") return outcome;
  return end === "failed" && (code === "upstream_error" || code === "upstream_timeout") ? code : undefined;
}

/** A stream continues after its first byte. No attempt ends after its request: a span must not end after its parent. */
function endOfAttempt({ startedAt, durationMs, outcome }: Attempt, { endedAt, notes }: EndedRequest): number {
  if (durationMs === undefined || (outcome === "answered" && notes.isStream)) return endedAt;
  return Math.min(startedAt + durationMs, endedAt);
}

function contentAttributes({ request, answer }: SpanContext, hide: (text: string) => string): Attributes {
  const input = request.input();
  const output = request.output(answer);
  return [
    ["gen_ai.input.messages", input && hide(input.json)],
    ["gen_ai.output.messages", output && hide(output.json)],
    ["tollgate.content_truncated", input?.isCut || output?.isCut ? true : undefined],
  ];
}

function named(model: string | undefined): string {
  return model === undefined ? "chat" : `chat ${model}`;
}

/** Converts a time of the monotonic clock to the wall clock. */
function nanosAt(moment: number, { endedAt, endedAtMs }: EndedRequest): bigint {
  return BigInt(endedAtMs) * BigInt(NANOS_PER_MS) - BigInt(Math.round((endedAt - moment) * NANOS_PER_MS));
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
