import { timingSafeEqual } from "node:crypto";
import type { Actor } from "../access/access.ts";
import { idOfAccessToken, isUsable, serviceOf, type AccessToken } from "../access/access-token.ts";
import { hashKeyed, isSameHash } from "../lib/secret/checked-secret.ts";
import { ApiError } from "../requests/api-error.ts";
import type { Person } from "../access/person.ts";
import { hashToken } from "../lib/secret/random-token.ts";
import { isSignedIn } from "../access/session.ts";
import type { Platform } from "./platform.ts";
import type { IncomingRequest } from "../lib/http1/server/incoming-request.ts";

/** The actor for the operator token. It belongs to no person, because automation uses it before any person exists. */
export const OPERATOR_TOKEN: Actor = {
  id: "operator-token",
  name: "operator token",
  role: "operator",
  accountId: null,
  scopes: null,
  personId: null,
  sessionId: null,
};

/**
 * Authenticates a request by the operator token, a personal access token, or a session cookie. An invalid header is rejected even if the
 * cookie is valid. A model key is not a credential here. The error is the same for every reason.
 */
export function authenticate(request: IncomingRequest, platform: Platform): Actor {
  const authorization = request.headers.get("authorization");
  const actor = authorization === null ? fromCookie(request, platform) : fromBearer(authorization, platform);
  if (actor) return actor;
  throw new ApiError("not_signed_in", "Sign in, or send a token: Authorization: Bearer …");
}

function fromBearer(authorization: string, platform: Platform): Actor | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return isEqual(bearer, platform.operatorToken.reveal()) ? OPERATOR_TOKEN : fromAccessToken(bearer, platform);
}

/**
 * A person's token acts as that person, with the person's current role. A service's token acts as the service, which is an operator. Both
 * are restricted to the token's scopes.
 */
function fromAccessToken(bearer: string, platform: Platform): Actor | undefined {
  const id = idOfAccessToken(bearer);
  if (id === undefined) return undefined;
  const hash = hashKeyed(bearer, platform.hashSecret);
  const token = platform.accessTokens.find(id);
  if (!token || !isSameHash(hash, token.hash)) return undefined;
  const person = platform.people.find(token.personId);
  if (!isUsable(token, person, platform.nowMs())) return undefined;
  platform.accessTokens.touch(token, platform.nowMs());
  if (!person) return actorOfService(token);
  return { ...actorOf(person), name: `${person.name} (access token ${token.name})`, scopes: token.scopes };
}

function actorOfService(token: AccessToken): Actor {
  const { personId: id, scopes } = token;
  return { id, name: `service ${serviceOf(token)}`, role: "operator", accountId: null, scopes, personId: null, sessionId: null };
}

function fromCookie(request: IncomingRequest, platform: Platform): Actor | undefined {
  const cookie = platform.signIn.sessionCookie.read(request);
  const session = cookie === undefined ? undefined : platform.sessions.find(hashToken(cookie));
  const person = session && platform.people.find(session.personId);
  if (!person || !isSignedIn(session, person, platform.nowMs())) return undefined;
  platform.sessions.touch(session, platform.nowMs());
  return { ...actorOf(person), sessionId: session.id };
}

function actorOf({ id, name, role, accountId }: Person): Actor {
  return { id, name, role, accountId, scopes: null, personId: id, sessionId: null };
}

/** Digests have a fixed length, which the constant-time comparison needs and which hides the length of the token. */
function isEqual(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
