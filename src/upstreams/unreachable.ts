import { GatewayError } from "../vocabulary/gateway-error.ts";

/** fetch's words for "there was no connection". */
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

/** Whether no connection was made: nothing was sent, so nothing was done there. */
export function isNotConnected(thrown: unknown): boolean {
  return NOT_CONNECTED.has(codeOf(thrown));
}

/** Whether the connection was refused. Only this cannot also be the end of a connection that was there. */
export function isRefused(thrown: unknown): boolean {
  return codeOf(thrown) === "ECONNREFUSED";
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

/** Nothing was sent, so another try is safe. Callers hear the same words for every reason: it is no business of theirs. */
export function unreachable(detail: string): GatewayError {
  return new GatewayError("no_upstream_available", "The upstream cannot be reached at the moment. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
    fault: { kind: "unreachable" },
  });
}
