import type { ReplyContract } from "../http/endpoint.ts";
import { errorHeaders } from "../http/reply-headers.ts";
import { LIMIT_HEADERS, ROUTE_HEADERS } from "../requests/chat-reply-headers.ts";
import { errorBodySchema } from "../requests/gateway-error.ts";
import type { Operation } from "./operation.ts";
import { problemSchema } from "./problem-schema.ts";

/** Every error status of the platform: its name in the published description, and what it means. */
const ERRORS = {
  400: ["BadRequest", "The query or the body is not valid; `param` names the field."],
  401: ["Unauthorized", "No session and no valid token, or a wrong password."],
  403: ["Forbidden", "Not this role, not this scope, or a change from another site's page."],
  404: ["NotFound", "There is no such thing, or the caller may not see it: the two look alike. Or the path is wrong."],
  405: ["MethodNotAllowed", "The path has no such method; `Allow` lists those it has."],
  409: ["Conflict", "It exists already, is in use, is managed elsewhere, or cannot go to that state; or the `Idempotency-Key` was reused."],
  413: ["ContentTooLarge", "The body or the headers are too large."],
  415: ["UnsupportedMediaType", "The request body is not JSON."],
  421: ["MisdirectedRequest", "The `Host` header names another server."],
  429: ["TooManyRequests", "Too many attempts, changes or reports; `Retry-After` says when to try again."],
  500: ["InternalServerError", "A fault of Tollgate. The request id finds it in the log."],
  503: ["ServiceUnavailable", "The database cannot be written, or there are too many connections; `Retry-After` says when to try again."],
} as const;

type ErrorStatus = keyof typeof ERRORS;

/** Statuses that any call may get, whichever operation it is for. */
const COMMON: readonly ErrorStatus[] = [400, 404, 405, 413, 421, 500, 503];

/** The error replies that an operation can give, by what it is: its access, its method and its body. */
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
  504: "The upstream took too long.",
};

/** A call that is passed on gets the errors of both listeners, each in the form of its own. */
function repliesWithGateway(): Record<number, ReplyContract> {
  const headers = { ...LIMIT_HEADERS, ...ROUTE_HEADERS };
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
