import type { RecordedChange } from "../../stores/audit-log/audit-log-store.ts";
import { operators } from "../../access/access.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { operation, type Operation } from "../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import type { Platform } from "../platform.ts";
import { readTime, timeSchema, viewTime } from "./fields.ts";

const changeSchema = {
  title: "Change",
  type: "object",
  required: ["id", "at", "actor", "actor_name", "address", "request_id", "action", "target", "account", "before", "after"],
  properties: {
    id: { type: "integer" },
    at: timeSchema,
    actor: { type: "string", description: "The actor: the id of a person, `service:NAME`, `operator-token`, or `tollgate` itself." },
    actor_name: { type: "string" },
    address: { type: "string", nullable: true, description: "The network address of the actor." },
    request_id: { type: "string", nullable: true },
    action: { type: "string", description: "The action, such as `key.create`." },
    target: {
      title: "ChangeTarget",
      type: "object",
      required: ["kind", "id"],
      properties: { kind: { type: "string" }, id: { type: "string" } },
    },
    account: { type: "string", nullable: true },
    before: { type: "object", nullable: true, description: "The state before the change; null for a creation." },
    after: { type: "object", nullable: true, description: "The state after the change; null for a removal." },
  },
} as const satisfies Schema;

/** GET /api/audit-log: a page of recorded changes, newest first. */
export function listChanges(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/audit-log",
    access: operators("audit:read"),
    operationId: "listChanges",
    summary: "List recorded changes, newest first",
    query: {
      actor: { type: "string", description: "Changes by one person or token." },
      action: { type: "string", description: "Changes with one action, such as `key.create`." },
      kind: { type: "string", description: "Changes to one kind of resource, such as `key`." },
      id: { type: "string", description: "Changes to the resource with this id." },
      account: { type: "string", description: "Changes that concern one account." },
      from: { type: "string", description: "Changes at or after this time." },
      to: { type: "string", description: "Changes before this time." },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of changes.", json: pageSchema("ChangePage", changeSchema) },
    async run({ query, cursors }) {
      const { limit, after } = readPage(query, cursors, ["number"]);
      const { actor, action, kind, id, account, from, to } = query;
      const filter = {
        actor,
        action,
        targetKind: kind,
        targetId: id,
        accountId: account,
        fromMs: from === undefined ? undefined : readTime(from, "from"),
        toMs: to === undefined ? undefined : readTime(to, "to"),
      };
      const changes = await platform.auditLog.page(filter, after?.[0] ?? Number.MAX_SAFE_INTEGER, limit + 1);
      return toPage(cursors, changes, limit, viewChange, (change) => [change.id]);
    },
  });
}

function viewChange(change: RecordedChange) {
  const { id, atMs, actor, actorName, address, requestId, action, target, accountId, before, after } = change;
  return {
    id,
    at: viewTime(atMs),
    actor,
    actor_name: actorName,
    address,
    request_id: requestId,
    action,
    target,
    account: accountId,
    before,
    after,
  };
}
