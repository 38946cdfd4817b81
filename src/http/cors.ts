import type { Endpoint } from "./endpoint.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";
import { LIMIT_HEADERS } from "../requests/chat-reply-headers.ts";
import { Reply } from "../lib/http1/server/reply.ts";

/**
 * The exposed headers are listed, because `*` does not apply to requests with credentials, and some browsers do not support it in this
 * header.
 */
const EXPOSED = [
  "x-request-id",
  "request-id",
  "retry-after",
  "x-should-retry",
  "x-tollgate-shutdown-date",
  "x-tollgate-replacement",
  "x-tollgate-cost",
  "x-tollgate-provenance",
  "x-tollgate-price-version",
  "x-tollgate-prompt-derivation",
  "x-tollgate-max-tokens",
  "x-tollgate-replayed",
  "x-tollgate-cache",
  "x-tollgate-upstream",
  "x-tollgate-attempts",
  "x-tollgate-dropped",
  "x-tollgate-credit-remaining",
  "x-tollgate-cap-remaining",
  ...Object.keys(LIMIT_HEADERS),
].join(", ");

/**
 * Lets a page of any origin read this reply. This is safe because the credential is a bearer key that the page must already have, never a
 * cookie that the browser adds automatically.
 */
export function allowAnyOrigin({ headers }: Reply): void {
  headers["access-control-allow-origin"] = "*";
  headers["access-control-expose-headers"] = EXPOSED;
}

/** The reply to a CORS preflight. */
export function answerPreflight({ headers }: IncomingRequest, endpoints: readonly Endpoint[]): Reply {
  return new Reply(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": endpoints.map((endpoint) => endpoint.method).join(", "),
      // `*` would not cover Authorization, and SDKs add custom headers whose names change by version.
      "access-control-allow-headers": headers.get("access-control-request-headers") ?? "authorization, content-type",
      "access-control-max-age": "7200",
      vary: "access-control-request-headers",
    },
  });
}
