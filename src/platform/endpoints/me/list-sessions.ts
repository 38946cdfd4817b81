import type { Schema } from "../../../lib/schema/schema.ts";
import { endOf, type Session } from "../../../access/session.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { listOwnSessions } from "./find-own.ts";

const sessionSchema = {
  title: "Session",
  type: "object",
  required: ["id", "current", "address", "user_agent", "created_at", "last_seen_at", "expires_at"],
  properties: {
    id: { type: "string" },
    current: { type: "boolean", description: "Whether this is the session of the request." },
    address: { type: "string", nullable: true, description: "The network address at sign-in." },
    user_agent: { type: "string", nullable: true, description: "The browser at sign-in." },
    created_at: timeSchema,
    last_seen_at: { ...timeSchema, description: "The time of the last request, to the minute." },
    expires_at: { ...timeSchema, description: "The time at which the session ends if it stays unused." },
  },
} as const satisfies Schema;

/** GET /api/me/sessions: the actor's sessions. */
export function listSessions(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/me/sessions",
    access: "session",
    operationId: "listSessions",
    summary: "List your sessions, newest first. There are at most fifty.",
    reply: {
      status: 200,
      description: "The sessions.",
      json: {
        title: "SessionList",
        type: "object",
        required: ["data"],
        properties: { data: { type: "array", items: sessionSchema } },
      },
    },
    run: ({ actor }) => ({ data: listOwnSessions(actor, platform).map((session) => viewSession(session, actor.sessionId)) }),
  });
}

function viewSession(session: Session, currentId: string | null) {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    user_agent: session.userAgent,
    created_at: viewTime(session.createdAtMs),
    last_seen_at: viewTime(session.lastSeenAtMs),
    expires_at: viewTime(endOf(session)),
  };
}
