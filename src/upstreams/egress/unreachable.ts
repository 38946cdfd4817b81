import type { TunnelFailed } from "../../lib/http1/client/dial.ts";
import type { FaultKind } from "../../money/failed-attempt.ts";
import { ApiError } from "../../requests/api-error.ts";
import { messageOf } from "../../lib/text/message-of.ts";

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

/** Explanations of common error codes. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  EHOSTUNREACH: "there is no route to that host",
  ENETUNREACH: "there is no route to that network",
  ETIMEDOUT: "the connection timed out",
  EPROTO: "the TLS handshake failed",
  InvalidHTTPResponse: "the response is not HTTP",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
};

/** Describes a connection error for operators, with the code to search for. */
export function describeConnectionError(thrown: unknown): string {
  const code = codeOf(thrown);
  if (Object.hasOwn(MEANINGS, code)) return `${MEANINGS[code]} (${code})`;
  const message = messageOf(thrown);
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}

/** Nothing was sent, so a retry is safe. Callers receive the same message for every reason; the reason stays internal. */
export function unreachable(detail: string, kind: FaultKind = "unreachable"): ApiError {
  return new ApiError("no_upstream_available", "The upstream cannot be reached at the moment. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
    fault: { kind },
  });
}

/** Statuses by which a proxy reports that it could not connect: probably, the upstream is at fault. */
const NOT_CONNECTED = new Set([502, 503, 504]);

/** Advice for operators about these statuses. */
const ADVICE: Readonly<Record<number, string>> = {
  403: ": a proxy that permits names alone needs TOLLGATE_EGRESS_PROXY_TARGET=name",
  407: ": it requires credentials, or rejects the credentials of its URL",
};

/** The egress proxy did not open a tunnel. This says something about the upstream only if the proxy itself could not connect to it. */
export function tunnelFailed(failure: TunnelFailed): ApiError {
  const { proxy, status, authority } = failure;
  const name = `the egress proxy ${proxy.hostname}:${proxy.port}`;
  if (status === undefined) return unreachable(`${name} failed: ${describeConnectionError(failure)}`, "proxy");
  if (NOT_CONNECTED.has(status)) return unreachable(`${name} could not connect to ${authority}: it returned status ${status}`);
  return unreachable(`${name} refused to connect to ${authority}: it returned status ${status}${ADVICE[status] ?? ""}`, "proxy");
}
