import type { Attempt } from "../../requests/attempt.ts";
import { outcomeOf } from "../../requests/outcome-of.ts";
import type { EndedRequest } from "../../requests/request-notes.ts";
import { timingsOf } from "../../requests/request-timings.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { ResponseSummary } from "./response-summary.ts";
import type { TracedRequest } from "./traced-request.ts";
import type { Attributes, Span } from "./span.ts";
import type { PresetId } from "../../models/presets.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Attribution } from "../../money/attribution.ts";
import type { Usage } from "../../money/usage.ts";

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

/** Attributes specific to Tollgate: ids, not names. */
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

/**
 * The end of an attempt. A stream continues after its first byte. An attempt never ends after its request, because a span must not end
 * after its parent.
 */
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

/** The conventions' names of well-known providers. */
const WELL_KNOWN: Partial<Record<PresetId, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  "vertex-gemini": "gcp.vertex_ai",
  "vertex-claude": "gcp.vertex_ai",
  azure: "azure.ai.openai",
  "azure-deployments": "azure.ai.openai",
  bedrock: "aws.bedrock",
  "bedrock-converse": "aws.bedrock",
  mistral: "mistral_ai",
  groq: "groq",
  deepseek: "deepseek",
  xai: "x_ai",
  perplexity: "perplexity",
  moonshot: "moonshot_ai",
};

/** The span attributes of an upstream. */
interface UpstreamDescription {
  /** The name from the conventions if they list the server, otherwise the preset, otherwise the upstream's id. */
  readonly provider?: string;
  readonly address?: string;
  readonly port?: bigint;
}

const UNKNOWN: UpstreamDescription = {};

/** Parsed URLs by settings object. Changed settings are a new object, so each URL is parsed once. */
const described = new WeakMap<UpstreamSettings, UpstreamDescription>();

/** The span attributes of an upstream; empty if the upstream has been removed. */
function describeUpstream(upstream: UpstreamSettings | undefined): UpstreamDescription {
  if (!upstream) return UNKNOWN;
  const description = described.get(upstream) ?? describe(upstream);
  described.set(upstream, description);
  return description;
}

function describe(upstream: UpstreamSettings): UpstreamDescription {
  if (upstream.dialect === "echo") return { provider: upstream.id };
  const { preset, id, baseUrl } = upstream;
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    provider: preset === undefined ? id : (WELL_KNOWN[preset] ?? preset),
    address: hostname,
    port: BigInt(port || (protocol === "https:" ? 443 : 80)),
  };
}

type Parameters = Readonly<Record<string, unknown>>;

/** The request parameters by the GenAI conventions. Texts, such as stop sequences, count as content and are omitted. */
function parameterAttributes(asked: Parameters): Attributes {
  const { max_completion_tokens: newName, max_tokens: oldName, n, stream } = asked;
  return [
    ["gen_ai.request.max_tokens", toInteger(newName ?? oldName)],
    ["gen_ai.request.temperature", toNumber(asked["temperature"])],
    ["gen_ai.request.top_p", toNumber(asked["top_p"])],
    ["gen_ai.request.frequency_penalty", toNumber(asked["frequency_penalty"])],
    ["gen_ai.request.presence_penalty", toNumber(asked["presence_penalty"])],
    ["gen_ai.request.seed", toInteger(asked["seed"])],
    ["gen_ai.request.choice.count", n === 1 ? undefined : toInteger(n)],
    ["gen_ai.request.stream", stream === true ? true : undefined],
    ["gen_ai.output.type", outputType(asked["response_format"])],
  ];
}

function usageAttributes(usage: Usage | undefined): Attributes {
  if (!usage) return [];
  return [
    ["gen_ai.usage.input_tokens", BigInt(usage.promptTokens)],
    ["gen_ai.usage.output_tokens", BigInt(usage.completionTokens)],
    ["gen_ai.usage.cache_read.input_tokens", positiveCount(usage.cachedTokens)],
    ["gen_ai.usage.cache_creation.input_tokens", positiveCount(usage.cacheWriteTokens)],
    ["gen_ai.usage.reasoning.output_tokens", positiveCount(usage.reasoningTokens)],
  ];
}

/** The attribution of the request, as the account stores it. */
function attributionAttributes({ user, conversation, tags = {} }: Attribution = {}): Attributes {
  return [
    ["user.id", user],
    ["gen_ai.conversation.id", conversation],
    ...Object.entries(tags).map(([name, value]): Attributes[number] => [`tollgate.tag.${name}`, value]),
  ];
}

function toInteger(value: unknown): bigint | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function toNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function positiveCount(count: number): bigint | undefined {
  return count > 0 ? BigInt(count) : undefined;
}

function outputType(format: unknown): string | undefined {
  const type = isObject(format) ? format["type"] : undefined;
  if (type === "json_object" || type === "json_schema") return "json";
  return type === "text" ? "text" : undefined;
}
