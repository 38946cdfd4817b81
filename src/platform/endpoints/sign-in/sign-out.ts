import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { endSession } from "../me/end-session.ts";
import { findOwnSession } from "../me/find-own.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { COOKIE_HEADERS } from "../../sign-in/platform-cookie.ts";

/** POST /api/sign-out: ends the session of this browser. */
export function signOut(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/sign-out",
    access: "session",
    operationId: "signOut",
    summary: "Sign out: end the current session",
    reply: { status: 204, description: "The session has ended.", headers: COOKIE_HEADERS },
    async run(call) {
      await endSession(findOwnSession(call.actor.sessionId!, call.actor, platform), "person.sign_out", call, platform);
      return new Reply(null, { status: 204, headers: { "set-cookie": platform.signIn.sessionCookie.clear() } });
    },
  });
}
