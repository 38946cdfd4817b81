import { GatewayError } from "../../requests/gateway-error.ts";

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
}

/** What codes mean that everybody meets. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was closed",
  EHOSTUNREACH: "there is no way to that address",
  ENETUNREACH: "there is no way to that network",
  ETIMEDOUT: "nothing came from there in time",
  EPROTO: "the TLS handshake failed",
  InvalidHTTPResponse: "what came is not HTTP",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself only",
};

/** What happened to a connection, for operators: in plain words, with the code to search for. */
export function describeTrouble(thrown: unknown): string {
  const code = codeOf(thrown);
  if (Object.hasOwn(MEANINGS, code)) return `${MEANINGS[code]} (${code})`;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}

/** Nothing was sent, so another try is safe. Callers hear the same words for every reason: it is no business of theirs. */
export function unreachable(detail: string): GatewayError {
  return new GatewayError("no_upstream_available", "The upstream cannot be reached at the moment. Please try again in 5s.", {
    retryAfterSeconds: 5,
    detail,
    fault: { kind: "unreachable" },
  });
}
