import type { ReplyHeaders } from "./endpoint.ts";

/** Headers that every reply of both listeners may have, for the published descriptions. */
export const COMMON_HEADERS: ReplyHeaders = {
  "x-request-id": {
    type: "string",
    description: "Identifies the request in the log and on its receipt. Absent if the request could not be read.",
  },
  "Keep-Alive": {
    type: "string",
    description: "`timeout=N`: the connection is closed after N seconds without a request. Absent if it is closed at once.",
  },
};

const RETRY_AFTER: ReplyHeaders = {
  "Retry-After": { type: "integer", minimum: 1, maximum: 59, description: "Seconds to wait before a retry, if a retry may succeed." },
};

const NO_RETRY: ReplyHeaders = {
  "x-should-retry": {
    type: "string",
    enum: ["false"],
    description: "`false` if a retry cannot succeed, or may be charged again. Official SDKs do not retry then.",
  },
};

const HEADERS_OF_ERRORS: Readonly<Record<number, ReplyHeaders>> = {
  401: { "WWW-Authenticate": { type: "string", enum: ["Bearer"], description: "The scheme of the `Authorization` header." } },
  402: RETRY_AFTER,
  405: { Allow: { type: "string", description: "The methods of this path." } },
  415: { "Accept-Encoding": { type: "string", description: "`identity` if the body had a content encoding." } },
  429: { ...RETRY_AFTER, ...NO_RETRY },
  502: { ...RETRY_AFTER, ...NO_RETRY },
  503: RETRY_AFTER,
  529: RETRY_AFTER,
  504: { ...RETRY_AFTER, ...NO_RETRY },
};

/** The headers that `error-reply.ts` adds to an error with this status. */
export function errorHeaders(status: number): ReplyHeaders {
  return HEADERS_OF_ERRORS[status] ?? {};
}
