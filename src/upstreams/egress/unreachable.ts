import { ApiError } from "../../requests/api-error.ts";

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
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}

/** Nothing was sent, so a retry is safe. Callers receive the same message for every reason, which stays internal. */
export function unreachable(detail: string): ApiError {
  return new ApiError("no_upstream_available", "The upstream cannot be reached at the moment. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
    fault: { kind: "unreachable" },
  });
}
