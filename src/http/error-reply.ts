import { CallerGone } from "../lib/async/caller-gone.ts";
import { ApiError, type RelayedError } from "../requests/api-error.ts";
import { messagesStatusOf, toMessagesError } from "../requests/messages-api.ts";
import { responsesStatusOf } from "../requests/responses-api.ts";
import { StorageUnavailable } from "../requests/storage-unavailable.ts";
import { CALLER_GONE_STATUS } from "../requests/outcome-of.ts";
import type { RequestNotes } from "../requests/request-notes.ts";
import type { ErrorFormat, Exchange } from "./endpoint.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { TooManyConnections } from "../lib/http1/server/listener.ts";
import { HeadTooLarge } from "../lib/http1/server/read-head.ts";
import { BadRequest } from "../lib/http1/server/request-head.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import { withoutPlaceholders } from "../lib/json/omitted-text.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** The only function that turns a thrown error into its reply. The details go to the log. */
export function toErrorReply(thrown: unknown, { notes, requestId }: Pick<Exchange, "notes" | "requestId">, format: ErrorFormat): Reply {
  if (thrown instanceof CallerGone) return new Reply(null, { status: CALLER_GONE_STATUS });
  const error = toApiError(thrown, notes);
  if (format === "problem-details") return toProblem(error, requestId);
  if (error.relayed && format !== "chat-completions") return toRelayedReply(error, error.relayed);
  if (format === "messages") return toMessagesReply(error, requestId);
  if (format === "responses") return toResponsesReply(error);
  return toReply(error, error, JSON_TYPE);
}

const JSON_TYPE = "application/json;charset=utf-8";

function toProblem(error: ApiError, requestId: string): Reply {
  const { code, status, message: detail, param } = error;
  const title = code.charAt(0).toUpperCase() + code.slice(1).replaceAll("_", " ");
  const problem = { type: `urn:tollgate:problem:${code}`, title, status, detail, code, param, request_id: requestId };
  return toReply(problem, error, "application/problem+json");
}

/** Agents recover from an upstream's rejection by its wording, so a reply that may be passed on is not changed. */
function toRelayedReply(error: ApiError, { status, body }: RelayedError): Reply {
  return new Reply(body, { status, headers: { ...headersOf(error), "content-type": "application/json" } });
}

/** OpenAI's SDKs repeat after a 429, and spent credit does not come back within seconds. */
function toResponsesReply(error: ApiError): Reply {
  const status = responsesStatusOf(error);
  const reply = toReply(error, error, JSON_TYPE, status);
  if (error.status === 402 && status === 429) reply.headers["x-should-retry"] = "false";
  return reply;
}

function toMessagesReply(error: ApiError, requestId: string): Reply {
  return toReply({ ...toMessagesError(error), request_id: requestId }, error, JSON_TYPE, messagesStatusOf(error));
}

/** Redacts secrets, because messages quote the request, which may contain a key in the wrong place. */
function toReply(body: object, error: ApiError, contentType: string, status = error.status): Reply {
  const headers = { ...headersOf(error), "content-type": contentType };
  return new Reply(withoutPlaceholders(redactSecrets(JSON.stringify(body))), { status, headers });
}

/** The public form of anything thrown. Messages that were not written for callers stay in the log. */
export function toApiError(thrown: unknown, notes: RequestNotes): ApiError {
  if (thrown instanceof ApiError) {
    notes.code = thrown.code;
    // The name of an unknown parameter may be any text, even a secret in the wrong place.
    notes.param = thrown.code === "unsupported_parameter" ? undefined : (thrown.param ?? undefined);
    notes.detail = thrown.detail ?? detailOf(thrown);
    notes.limit = thrown.limit;
    notes.shortfall = thrown.shortfall;
    return thrown;
  }
  const known = errorOfStorage(thrown) ?? errorOfConnection(thrown);
  if (known) return toApiError(known, notes);
  notes.code = "internal_error";
  notes.detail = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return new ApiError("internal_error", "The gateway failed to answer this request. Its log knows more, under the request id.");
}

const TOO_MANY_CONNECTIONS = {
  full: "There are too many connections at the moment.",
  address_limit: "There are too many connections from your address that have not sent a valid key.",
};

/** Converts errors of the HTTP/1.1 server itself, for requests that it does not read or accept. */
function errorOfConnection(thrown: unknown): ApiError | undefined {
  if (thrown instanceof BadRequest) return new ApiError("invalid_value", `This is not a valid HTTP request: ${thrown.message}.`);
  if (thrown instanceof HeadTooLarge) return new ApiError("request_too_large", `The request headers are ${thrown.message}.`);
  if (!(thrown instanceof TooManyConnections)) return undefined;
  const message = `${TOO_MANY_CONNECTIONS[thrown.limit]} Please try again in 1s.`;
  return new ApiError("overloaded", message, { retryAfterSeconds: 1 });
}

const STORAGE_RETRY_SECONDS = 5;

function errorOfStorage(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof StorageUnavailable)) return undefined;
  const { message, cause } = thrown;
  const detail = `${message}: ${messageOf(cause)}`;
  const words = `The request could not be carried out: ${message}. Please try again in ${STORAGE_RETRY_SECONDS}s.`;
  return new ApiError("overloaded", words, { retryAfterSeconds: STORAGE_RETRY_SECONDS, detail });
}

/** The detail for errors whose message alone says which credit, spend cap or limit was exceeded, or why the model is not allowed. */
function detailOf({ code, status, limit, message }: ApiError): string | undefined {
  return status === 402 || limit !== undefined || code === "model_not_allowed" ? message : undefined;
}

function headersOf(error: ApiError): Record<string, string> {
  const headers = { ...error.headers };
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  if (error.retryAfterSeconds !== undefined) headers["retry-after"] = String(error.retryAfterSeconds);
  // After a timeout, the upstream may have done the work: if the client retried automatically, it would pay twice.
  if (error.code === "upstream_timeout") headers["x-should-retry"] = "false";
  return headers;
}
