import { operators } from "../../../access/access.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";

/** POST /api/instances/restart: a rolling restart of the gateway processes. The reply does not wait for its end. */
export function restartInstances(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/instances/restart",
    access: operators("instances:write"),
    operationId: "restartInstances",
    summary:
      "Start a rolling restart: replace each gateway process of this machine by a new one, one after another. The owner process is not restarted.",
    reply: {
      status: 202,
      description: "The rolling restart has started. `restarting` of `GET /api/instances` is true until it ends.",
      json: {
        title: "RollingRestart",
        type: "object",
        required: ["instances"],
        properties: { instances: { type: "array", items: { type: "string" }, description: "The IDs of the processes that are replaced." } },
      },
    },
    async run({ change }) {
      const { processes, auditLog } = platform;
      const target = { kind: "instance", id: "all" } as const;
      const instances = await processes.restart((replaced) =>
        auditLog.add(change("instance.restart", target, { before: null, after: { instances: replaced } })),
      );
      return Reply.json({ instances }, { status: 202 });
    },
  });
}
