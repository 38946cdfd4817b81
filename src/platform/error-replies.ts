import type { ReplyContract } from "../http/endpoint.ts";
import { errorHeaders } from "../http/reply-headers.ts";
import { LIMIT_HEADERS, REMAINING_HEADERS, ROUTE_HEADERS } from "../requests/chat-reply-headers.ts";
import { errorBodySchema } from "../requests/api-error.ts";
import type { Operation } from "./operation.ts";
import type { Schema } from "../lib/schema/schema.ts";

/** Every error status of the platform, with its name and meaning in the OpenAPI document. */
const ERRORS = {
  400: ["BadRequest", "The query or the body is invalid; `param` names the field."],
  401: ["Unauthorized", "No session and no valid token, or a wrong password."],
  403: ["Forbidden", "Missing role or scope, or a cross-site request."],
  404: ["NotFound", "The resource does not exist, or the caller may not see it. Or the path is wrong."],
  405: ["MethodNotAllowed", "The path does not support this method; `Allow` lists the supported ones."],
  409: [
    "Conflict",
    "It already exists, is in use, is managed elsewhere, or cannot change to that state; or the `Idempotency-Key` was reused.",
  ],
  413: ["ContentTooLarge", "The body or the headers are too large."],
  415: ["UnsupportedMediaType", "The request body is not JSON."],
  421: ["MisdirectedRequest", "The `Host` header names another server."],
  429: ["TooManyRequests", "Too many attempts, changes or reports; `Retry-After` says when to try again."],
  500: ["InternalServerError", "An internal error of Tollgate. The log has details under the request id."],
  503: ["ServiceUnavailable", "The database cannot be written, or there are too many connections; `Retry-After` says when to try again."],
} as const;

type ErrorStatus = keyof typeof ERRORS;

/** Error statuses that any operation may return. */
const COMMON: readonly ErrorStatus[] = [400, 404, 405, 413, 421, 500, 503];

/** The error replies of an operation, derived from its access, method and body. */
export function errorRepliesOf(operation: Operation): Record<number, ReplyContract> {
  if (operation.passesBodyOn) return repliesWithGateway();
  const statuses = [...COMMON, ...ofAccess(operation), ...ofChange(operation), ...(operation.isThrottled ? [429 as const] : [])];
  return Object.fromEntries([...new Set(statuses)].map((status) => [status, problemReply(status)]));
}

function ofAccess({ access, method }: Operation): ErrorStatus[] {
  const isOpen = access === "anyone";
  const isRefused = method !== "GET" || (!isOpen && access !== "signed-in");
  return [...(isOpen && method === "GET" ? [] : [401 as const]), ...(isRefused ? [403 as const] : [])];
}

function ofChange({ method, body }: Operation): ErrorStatus[] {
  if (method === "GET") return [];
  return [409, 429, ...(body ? [415 as const] : [])];
}

function problemReply(status: ErrorStatus): ReplyContract {
  const [name, description] = ERRORS[status];
  return { name, description, headers: errorHeaders(status), problem: problemSchema };
}

const ONLY_OF_GATEWAY: Readonly<Record<number, string>> = {
  402: "Not enough credit, or a spend cap is reached.",
  502: "The upstream failed.",
  504: "The upstream timed out.",
};

/** A proxied call returns the errors of both listeners, each in its own format. */
function repliesWithGateway(): Record<number, ReplyContract> {
  const headers = { ...LIMIT_HEADERS, ...ROUTE_HEADERS, ...REMAINING_HEADERS };
  const shared = Object.keys(ERRORS).map((name): [string, ReplyContract] => {
    const status = Number(name) as ErrorStatus;
    const { description, problem } = problemReply(status);
    return [name, { description, headers: { ...headers, ...errorHeaders(status) }, problem: problem!, json: errorBodySchema }];
  });
  const others = Object.entries(ONLY_OF_GATEWAY).map(([name, description]): [string, ReplyContract] => {
    return [name, { description, headers: { ...headers, ...errorHeaders(Number(name)) }, json: errorBodySchema }];
  });
  return Object.fromEntries([...shared, ...others]);
}

/** The error body of the platform: problem details, RFC 9457, with a stable code. */
const problemSchema = {
  title: "Problem",
  type: "object",
  required: ["type", "title", "status", "detail", "code", "param", "request_id"],
  properties: {
    type: { type: "string", description: "A URI of this kind of problem." },
    title: { type: "string", description: "The kind of problem." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "The problem as a sentence." },
    code: { type: "string", description: "The error code. docs/errors.md lists the codes." },
    param: { type: "string", nullable: true, description: "The request field that caused the problem, if any." },
    request_id: { type: "string", description: "The request id, as in the log." },
  },
} as const satisfies Schema;
