import { truncate } from "../lib/text/truncate.ts";
import { ApiError, toRetryAfter, type ErrorCode } from "../requests/api-error.ts";
import type { ClientIdentities } from "../requests/client-identities.ts";
import { toContentFilterResult } from "../requests/content-filter-result.ts";
import { isObject } from "../lib/schema/schema.ts";
import type { UpstreamFault } from "../models/upstream-fault.ts";
import type { HeadersRead } from "./egress/headers-read.ts";
import type { Redactor } from "./sent-credentials.ts";
import type { UpstreamError } from "./upstream-error.ts";

/** The maximum length of an upstream's error message in replies and in the log. Genuine messages are shorter. */
const MAX_MESSAGE_CHARS = 2_000;

const BUSY_MS = 5_000;

/** For failures that persist until the operator changes a credential, a quota, a base URL or a model name. */
const NO_CLIENT_RETRY = { "x-should-retry": "false" };

/**
 * The gateway's error for an upstream's error response. The caller's mistakes keep the upstream's message; the operator's (a credential, a
 * quota, a base URL) and the upstream's own must not look like the caller's mistakes, and their message goes only to the log.
 */
export function refusalOf(status: number, headers: HeadersRead, error: UpstreamError): ApiError {
  const detail = `upstream status ${error.status ?? status}: ${error.message}`;
  if (isBadRequest(status, error)) return badRequest(isClientError(status) ? error : withoutQuotes(error), detail);
  if (status === 413) return new ApiError("request_too_large", "The upstream says that this request is too large.", { detail });
  if (status === 403 && isAgainstPolicy(error)) return policyRejection(detail);
  if (status === 403 && error.isPage) return new ApiError("invalid_value", "A firewall of the upstream rejected this request.", { detail });
  if (status === 429 && isTooLargeForAnyWindow(error)) {
    return new ApiError("rate_limit_exceeded", error.message, { detail, headers: NO_CLIENT_RETRY });
  }
  const retryAfterMs = readRetryAfter(headers) ?? error.retryAfterMs;
  if (status === 429 && !isOutOfMoney(error)) return busyUpstream({ kind: "busy", retryAfterMs }, detail);
  if (status === 503 || status === 529) return busyUpstream({ kind: "failed", retryAfterMs }, detail);
  if (status === 504) {
    const fault = { kind: "failed", isFinal: true } as const;
    return new ApiError("upstream_timeout", "The upstream took too long to answer.", { detail, fault });
  }
  const isCredential = status === 401 || status === 402 || status === 403 || status === 429;
  if (isCredential)
    return failedUpstream(detail, { kind: "credential", retryAfterMs, ...(status === 403 && { mayBeOfRequest: true }) }, NO_CLIENT_RETRY);
  return isMisconfigured(status)
    ? failedUpstream(detail, { kind: "failed", isFinal: true }, NO_CLIENT_RETRY)
    : failedUpstream(detail, { kind: "failed", retryAfterMs });
}

/** The gateway's error for an error that arrived with a success status, as a body or as an event of a stream. */
export function refusalInside(error: UpstreamError): ApiError {
  const detail = `upstream error in a 200: ${error.message}`;
  const { retryAfterMs } = error;
  if (/rate_limit|resource_exhausted/i.test(error.kind)) return busyUpstream({ kind: "busy", retryAfterMs }, detail);
  if (/overload|unavailable/i.test(error.kind)) return busyUpstream({ kind: "failed", retryAfterMs }, detail);
  if (isPolicyError(error) || rejectionCause(error) !== undefined) return badRequest(withoutQuotes(error), detail);
  return failedUpstream(detail, { kind: "failed" });
}

/** The gateway's error for a response that cannot be parsed. */
export function unparsableResponse(detail: string): ApiError {
  return new ApiError("upstream_error", "The upstream's answer could not be understood.", { detail, fault: { kind: "broken" } });
}

/** Parses a response that is complete. The error is logged, so it describes the response without its content. */
export function parseAnswer(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch {
    throw unparsableResponse(`an answer of ${text.length} characters that is not JSON`);
  }
}

/** The gateway's error for a response that was cut short. */
export function truncatedResponse(detail: string): ApiError {
  return new ApiError("upstream_error", "The upstream broke off its answer.", { detail, fault: { kind: "broken" } });
}

/** Reads `{"error":{…}}` and its variants: FastAPI `{"detail":…}`, Mistral `{"message":…}`, Google's `[{"error":{…}}]`, or plain text. */
export function readErrorBody(body: string): UpstreamError {
  try {
    const whole: unknown = JSON.parse(body);
    const parsed: unknown = Array.isArray(whole) && whole.length === 1 ? whole[0] : whole;
    return readError(isObject(parsed) ? (parsed["error"] ?? parsed) : parsed);
  } catch {
    const page = summarizeHtml(body);
    return page === undefined ? readError(body) : { ...readError(page), isPage: true };
  }
}

/** The title of an HTML page, such as a proxy's "502 Bad Gateway": the rest of the page adds nothing. Undefined for other text. */
function summarizeHtml(body: string): string | undefined {
  if (!/^\s*<(?:!doctype html|html|head)\b/i.test(body)) return undefined;
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(body)?.[1]?.trim();
  return title ? `an HTML page with the title ${JSON.stringify(title)}` : "an HTML page";
}

/** Reads an error object. */
export function readError(error: unknown): UpstreamError {
  if (!isObject(error)) return { message: messageFrom(error), kind: "", param: undefined };
  const { code, type, status, param, innererror } = error;
  return {
    message: messageFrom(error["message"] ?? error["detail"] ?? error),
    kind: [code, type, status].filter((part) => typeof part === "string").join(" "),
    param: typeof param === "string" ? param : undefined,
    ...(isObject(innererror) && { contentFilterResult: toContentFilterResult(innererror["content_filter_result"]) }),
  };
}

/**
 * An upstream's message that may leave this process: truncated, and with the credential, which the upstream has received, redacted. For
 * operators, the identities are redacted, too. The credential is redacted first, because a client may choose an end-user name that equals
 * the beginning of a credential. Truncation comes last: otherwise, it could leave half of a credential.
 */
export function safeMessage(text: string, credential: Redactor | undefined, identities?: ClientIdentities): string {
  const redacted = credential?.redactFrom(text) ?? text;
  return truncate(identities?.redactIn(redacted) ?? redacted, MAX_MESSAGE_CHARS);
}

/** Web pages that errors refer to. */
const DOCUMENTATION = /https:\/\/(?:docs|platform|support)\.(?:anthropic|claude|openai)\.com\/[\w\-./#]*/g;

/** What describes the operator and not the request: account ids, cloud resources and hosts, email and network addresses, and URLs. */
const OF_OPERATOR = [
  /\borg[-_][\w-]{6,}/i,
  /\b(?:proj|acct|wrkspc|workspace|key)[-_][A-Za-z0-9]{6,}/,
  /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/i,
  /\barn:aws/i,
  // An account of AWS
  /\b\d{12}\b/,
  /\b[\w-]+\.(?:amazonaws|googleapis)\.com\b/i,
  /\bprojects\/[\w-]+/,
  /\bsk-[\w-]{8,}/,
  /[\w.+-]{1,64}@[\w-]{1,64}\.\w/,
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  /https?:\/\//i,
];

/**
 * Whether a client may see this error body or message unchanged. A text that names a credential or the operator's account is not edited, which would
 * change the wording that agents look for, but replaced by the gateway's own error.
 */
export function mayBeRelayed(body: string, credential: Redactor | undefined, baseUrl: string): boolean {
  if (credential && credential.redactFrom(body) !== body) return false;
  const project = /\/projects\/([^/]+)/.exec(baseUrl)?.[1];
  if (project !== undefined && body.includes(project)) return false;
  const text = body.replaceAll(DOCUMENTATION, "");
  return !text.toLowerCase().includes(hostIn(baseUrl)) && !OF_OPERATOR.some((pattern) => pattern.test(text));
}

/** The host as an error would name it: a name without a dot, such as `model`, would be any word without its port. */
function hostIn(baseUrl: string): string {
  const { host, hostname, port } = new URL(baseUrl);
  if (hostname.includes(".")) return hostname;
  return port === "" ? `//${host}` : host;
}

/** Whether the request is at fault: by the status or, if the status is ambiguous, by the message. */
function isBadRequest(status: number, error: UpstreamError): boolean {
  if (isClientError(status)) return true;
  const isAmbiguousStatus = status === 404 || status === 413 || status >= 500;
  return isAmbiguousStatus && rejectionCause(error) !== undefined;
}

function isClientError(status: number): boolean {
  return status === 400 || status === 422;
}

/**
 * The error that a caller may see if the status does not blame the request. A message may quote the prompt, and the prompt may contain the
 * text of a context-length error: without a code that confirms it, the message goes only to the log.
 */
function withoutQuotes(error: UpstreamError): UpstreamError {
  const isKnownByCode = exceedsContext({ ...error, message: "" });
  return exceedsContext(error) && !isKnownByCode ? { ...error, message: TOO_LONG } : error;
}

function badRequest(error: UpstreamError, detail: string): ApiError {
  const code = codeOfBadRequest(error);
  const fault: UpstreamFault | undefined = rejectionCause(error) === "capability" ? { kind: "unsupported" } : undefined;
  const contentFilterResult = code === "content_policy_violation" ? error.contentFilterResult : undefined;
  return new ApiError(code, messageFor(code, error.message), { param: error.param, detail, fault, contentFilterResult });
}

/** The upstream's message would name the operator's team and key: https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267 */
function policyRejection(detail: string): ApiError {
  return new ApiError("content_policy_violation", "The upstream refused the prompt because of its content policy.", { detail });
}

/** Statuses of a wrong base URL or model name; redirects are not followed. */
function isMisconfigured(status: number): boolean {
  return status === 404 || status === 405 || status === 410 || (status >= 300 && status < 400);
}

function failedUpstream(detail: string, fault: UpstreamFault, headers: Record<string, string> = {}): ApiError {
  return new ApiError("upstream_error", "The upstream failed to answer.", { detail, fault, headers });
}

function busyUpstream(fault: UpstreamFault, detail: string): ApiError {
  const seconds = toRetryAfter((fault.retryAfterMs ?? BUSY_MS) / 1000);
  const message = `The upstream is busy. Please try again in ${seconds}s.`;
  return new ApiError("overloaded", message, { retryAfterSeconds: seconds, detail, fault });
}

/** RFC 9110 §10.2.3 defines seconds or a date; OpenAI adds milliseconds in another header. */
export function readRetryAfter(headers: HeadersRead): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (ms > 0) return ms;
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  const waitMs = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000;
  return waitMs > 0 ? waitMs : undefined;
}

function messageFrom(reason: unknown): string {
  const message = typeof reason === "string" ? reason : JSON.stringify(reason);
  return message || "no reason given";
}

function codeOfBadRequest(error: UpstreamError): ErrorCode {
  if (exceedsContext(error)) return "context_length_exceeded";
  if (isPolicyError(error)) return "content_policy_violation";
  if (/unrecognized request argument|extra_forbidden|un(?:supported|known)_parameter/i.test(`${error.kind} ${error.message}`)) {
    return "unsupported_parameter";
  }
  return "invalid_value";
}

/** Messages of Anthropic and OpenAI, whose error codes do not say it. */
const AGAINST_POLICY: readonly RegExp[] = [
  // https://github.com/anthropics/claude-code/issues/6195
  /^output blocked by content filtering policy/i,
  // https://github.com/openai/codex/issues/7250
  /^invalid prompt: your prompt was flagged/i,
];

function isPolicyError({ kind, message }: UpstreamError): boolean {
  return /content_filter|content_policy|\b(?:bio|misalignment)_policy/.test(kind) || AGAINST_POLICY.some((words) => words.test(message));
}

/** xAI and OpenRouter (https://openrouter.ai/docs/api-reference/errors) reject a prompt with the status of a rejected credential. */
function isAgainstPolicy({ message }: UpstreamError): boolean {
  return /^content violates usage guidelines|\brequires moderation\b[^\n]{0,80}\bflagged\b/i.test(message);
}

/** Clients detect a context-length error by OpenAI's message, not by the code. */
function messageFor(code: ErrorCode, message: string): string {
  if (code !== "context_length_exceeded" || /maximum context length/i.test(message)) return message;
  return `${TOO_LONG} ${message}`;
}

const TOO_LONG = "This is more than the maximum context length.";

/** OpenAI uses 429 both for rate limits and for exhausted credit. Waiting does not help with the second. */
function isOutOfMoney({ kind }: UpstreamError): boolean {
  return /insufficient_quota|credit_balance|spend_limit|usage_limit|billing/.test(kind);
}

/** OpenAI's 429 for a single request above the whole rate limit: only the caller can fix it, and waiting does not help. */
function isTooLargeForAnyWindow({ message }: UpstreamError): boolean {
  return /^request too large/i.test(message);
}

/**
 * The part of the request that an upstream's error blames:
 * - `content`: no upstream would accept it, such as an image that cannot be decoded;
 * - `capability`: this upstream's model does not accept images, audio or tools. Another upstream's model may.
 */
type RejectionCause = "content" | "capability";

/**
 * How much of a message is searched for its reason. Errors quote the request, and a caller must not be able to have any error message
 * passed on by writing one of these reasons into a prompt.
 */
const REASON_CHARS = 400;

/** Inputs that some models do not accept. */
const INPUTS = String.raw`(?:images?|audio|videos?|vision|multi-?modal|tools?|tool use|function calling)`;

/** The sources, and each server's exact message, are in rejection-cause.test.ts. */
const LACKS_CAPABILITY: readonly RegExp[] = [
  // llama.cpp; xAI and others alike
  new RegExp(String.raw`^${INPUTS}(?: inputs?| contents?| modality)? (?:is|are) not supported`, "i"),
  // Ollama, LM Studio and others: the model, or its name, comes first
  new RegExp(String.raw`^[^\n]{0,150}\b(?:does not|doesn't) support ${INPUTS}\b`, "i"),
  // OpenRouter
  new RegExp(String.raw`^no endpoints found that support (?:input )?${INPUTS}\b`, "i"),
  // OpenAI
  /^invalid content type\. \w+ is only supported by certain models/i,
  // vLLM
  /^[^\n]{0,150}\bis not a multimodal model\b/i,
  /^at most 0 (?:image|audio|video)\(s\) may be provided/i,
  // llama.cpp without --jinja
  /^(?:tools|tool_choice) param requires --jinja/i,
];

/** llama.cpp returns 500 for every exception in its own code except one type. */
const INVALID_CONTENT: readonly RegExp[] = [
  /^failed to (?:load image or audio file|download image|parse messages)\b/i,
  /^(?:invalid uri|uri must be base64|invalid base64|unsupported content)/i,
  // A chat template that wants another order of roles
  /^(?:-+\nWhile executing [\s\S]+)?(?:Error: )?jinja exception: /i,
  /^conversation roles must alternate/i,
];

/** The part of the request that an error blames, if any. */
function rejectionCause(error: UpstreamError): RejectionCause | undefined {
  const message = error.message.trimStart().slice(0, REASON_CHARS);
  if (LACKS_CAPABILITY.some((words) => words.test(message))) return "capability";
  if (INVALID_CONTENT.some((words) => words.test(message))) return "content";
  return exceedsContext({ ...error, message }) ? "content" : undefined;
}

/** Codes and types: OpenAI, Azure, Groq and Cerebras; llama.cpp; Perplexity. */
const KINDS = /\b(?:context_length_exceeded|exceed_context_size_error|too_many_prompt_tokens)\b/;

/**
 * Messages of servers without such a code. context-length.test.ts has each server's message with its source, and similar messages about
 * something else: only `max_tokens`, or a token rate limit.
 */
const MESSAGES: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang, Fireworks, Mistral
  /maximum context length/i,
  // Anthropic, Fireworks, SGLang, Ollama
  /prompt (?:is )?too long/i,
  // llama.cpp, Anthropic, OpenAI
  /\bexceeds? (?:the |this )?(?:available |max(?:imum)? |model(?:'s)? )?context (?:size|length|limit|window)/i,
  // Together, SGLang, Ollama, LM Studio, llama.cpp
  /\b(?:longer|larger|greater) than the (?:model's |max(?:imum)? )?context (?:size|length|window)/i,
  // llama.cpp while it generates
  /\bcontext (?:size|length|window) (?:has been )?exceeded/i,
  // LM Studio
  /loaded with context length of only \d/i,
  // vLLM
  /longer than the maximum model length/i,
  // SGLang
  /\binput length \(\d+ tokens\) exceeds the maximum allowed length/i,
  // Text Generation Inference, which Together runs too
  /`inputs` tokens \+ `max_new_tokens` must be <=|`inputs` must have less than \d+ tokens/,
  // xAI
  /maximum prompt length is \d/i,
  // Gemini, Vertex
  /token count[^.]{0,40}exceeds the maximum number of tokens/i,
  // Bedrock
  /input is too long for requested model|number of input tokens exceeds maximum length/i,
  // Groq, Cerebras
  /reduce the length of the messages/i,
  // Moonshot
  /exceeded model token limit|model max length exceeded/i,
  // Qwen
  /range of input length should be \[/i,
  // Cohere
  /^too many tokens: /i,
  // OpenAI, with an input limit below the context
  /input tokens exceed the configured limit/i,
];

/** Whether an error reports that the prompt, or prompt plus output, exceeds the model's context window. */
function exceedsContext({ kind, message }: UpstreamError): boolean {
  return KINDS.test(kind) || MESSAGES.some((words) => words.test(message));
}
