import type { Session } from "../../../access/session.ts";
import { operation, type Call, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findOwnSession } from "./find-own.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

/** DELETE /api/me/sessions/:id: signs out another browser. */
export function endOwnSession(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/me/sessions/:id",
    access: "session",
    operationId: "endSession",
    summary: "End one of your sessions",
    reply: { status: 204, description: "The session has ended." },
    async run(call) {
      await endSession(findOwnSession(call.param("id"), call.actor, platform), "session.end", call, platform);
      return new Reply(null, { status: 204 });
    },
  });
}

export async function endSession(session: Session, action: string, { actor, change }: Call, platform: Platform): Promise<void> {
  await platform.sessions.end(session.hash, (current) => {
    // It may have ended meanwhile, with its entry in the audit log.
    if (!current) return undefined;
    const { id } = current;
    return { change: change(action, { kind: "session", id }, { before: { session: id }, after: null, accountId: actor.accountId }) };
  });
}
