import { isObject } from "../../../lib/schema/schema.ts";
import { truncate } from "../../../lib/text/truncate.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, toToken, type AccessToken, type IdentityFailureReason } from "../credential-source.ts";
import { tryParse } from "../../../lib/json/try-parse.ts";

const MAX_MESSAGE_CHARS = 500;

/** Reads the reply of a token endpoint (RFC 6749 §5.1). `from` names it in messages. */
export function readTokenReply(reply: CloudReply, from: string, nowMs: number): AccessToken {
  const { access_token: token, expires_in: seconds } = objectIn(reply, from);
  const hasExpiry = typeof seconds === "number" && seconds > 0;
  return { token: toToken(token, from), expiresAtMs: hasExpiry ? nowMs + seconds * 1000 : undefined };
}

/** The JSON object of a reply with status 200. */
export function objectIn(reply: CloudReply, from: string): Readonly<Record<string, unknown>> {
  if (reply.status !== 200) throw refusalIn(reply, from);
  const body = tryParse(reply.text);
  if (!isObject(body)) throw new IdentityFailure("rejected", `${from} did not return JSON`);
  return body;
}

/** Why a request for an access token was refused, with advice for the operator. */
export function refusalIn(reply: CloudReply, from: string, secret?: Secret): IdentityFailure {
  const { status } = reply;
  const said = saidIn(tryParse(reply.text));
  const message = truncate(secret?.redactFrom(said) ?? said, MAX_MESSAGE_CHARS);
  const [reason, advice] = diagnose(status, message);
  return new IdentityFailure(reason, `${from} returned status ${status}: ${message}.${advice === undefined ? "" : ` ${advice}`}`);
}

function diagnose(status: number, message: string): readonly [IdentityFailureReason, string | undefined] {
  if (status === 429 || status >= 500) return ["unreachable", undefined];
  const [, permission] = /permission '?([\w.]+\.[\w.]+)'? denied/i.exec(message) ?? [];
  if (permission !== undefined) return ["permission", `Grant ${permission}.`];
  if (status === 403) return ["permission", undefined];
  if (/reasonable timeframe|check your iat and exp/i.test(message)) return ["clock_skew", "Set the clock of this machine."];
  if (/invalid jwt signature/i.test(message)) return ["rejected", "The key was deleted or replaced: create a new one."];
  if (/account not found/i.test(message)) return ["rejected", "The service account was deleted."];
  if (/\b(expired|stale)\b/i.test(message)) return ["expired", undefined];
  return ["rejected", undefined];
}

/** RFC 6749 defines `error` and `error_description`; other services of Google send an object in `error`. */
function saidIn(body: unknown): string {
  if (!isObject(body)) return "no reason given";
  const { error, error_description: description } = body;
  const parts = isObject(error) ? [error["status"], error["message"]] : [error, description];
  const said = parts.filter((part) => typeof part === "string").join(": ");
  return said.replace(/\.+$/, "") || "no reason given";
}
