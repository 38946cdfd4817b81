import type { Person } from "../../access/person.ts";
import { replaceUnprintable } from "../../lib/schema/plain-text.ts";
import { hashToken } from "../../lib/secret/random-token.ts";
import { beginSession } from "../../access/session.ts";
import type { Call } from "../operation.ts";
import type { Platform } from "../platform.ts";
import type { IncomingRequest } from "../../lib/http1/server/incoming-request.ts";

const MAX_USER_AGENT_LENGTH = 200;

/** Signs a person in with this browser. The reply must have the returned header. */
export function signInBrowser(person: Person, by: "password" | "link" | "openid", call: Call, platform: Platform): Promise<string> {
  platform.signIn.throttle.recognize(person.email, call.exchange.callerAddress());
  return openSession(person, "person.sign_in", { by }, call, platform);
}

/**
 * A new session for a person who continues after all of their sessions have ended, so that a stolen or planted cookie becomes worthless.
 */
export function renewSession(person: Person, call: Call, platform: Platform): Promise<string> {
  return openSession(person, "person.renew_session", {}, call, platform);
}

/** Opens a session. The browser's previous session ends: no cookie is reused from one sign-in to the next. */
async function openSession(person: Person, action: string, about: object, call: Call, platform: Platform): Promise<string> {
  const { request } = call.exchange;
  const { sessionCookie } = platform.signIn;
  const held = sessionCookie.read(request);
  const before = held === undefined ? undefined : platform.sessions.find(hashToken(held));
  const from = { address: call.exchange.callerAddress(), userAgent: userAgentOf(request) };
  const { cookie, session } = beginSession(person, from, platform.nowMs());
  const what = { before: null, after: { session: session.id, ...about }, accountId: person.accountId, by: person };
  await platform.sessions.add(session, call.change(action, { kind: "person", id: person.id }, what), before);
  call.exchange.notes.actor = person.id;
  return sessionCookie.set(cookie);
}

function userAgentOf({ headers }: IncomingRequest): string | null {
  const agent = headers.get("user-agent");
  return agent === null ? null : replaceUnprintable(agent, "").slice(0, MAX_USER_AGENT_LENGTH);
}
