import { isObject } from "../../../lib/schema/schema.ts";
import { toLocalMs, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, toToken, type AccessToken } from "../credential-source.ts";
import { tryParse } from "../../../lib/json/try-parse.ts";

/**
 * Reads the reply with an access token. Entra ID sends the token's lifetime in `expires_in`. Managed identities send the time of expiry in
 * `expires_on`, because they return the same access token repeatedly. `from` names the server in messages.
 */
export function readTokenReply(reply: CloudReply, from: string, nowMs: number): AccessToken {
  const body = tryParse(reply.text);
  const { access_token: accessToken, expires_in: lifetime, expires_on: expiry } = isObject(body) ? body : {};
  const token = toToken(accessToken, from);
  const expirySeconds = toSeconds(expiry);
  const lifetimeSeconds = toSeconds(lifetime);
  if (expirySeconds === undefined && lifetimeSeconds === undefined) {
    throw new IdentityFailure("rejected", `${from} returned an access token without its expiry`);
  }
  const expiresAtMs = expirySeconds === undefined ? nowMs + lifetimeSeconds! * 1000 : toLocalMs(expirySeconds * 1000, reply, nowMs);
  return { token, expiresAtMs };
}

/** Entra ID sends numbers, managed identities send text. */
function toSeconds(value: unknown): number | undefined {
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}
