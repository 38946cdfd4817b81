import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { instanceSchema, viewInstance } from "./instance-view.ts";

/** GET /api/instances: the processes of this Tollgate. */
export function listInstances(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/instances",
    access: operators("instances:read"),
    operationId: "listInstances",
    summary: "List the processes of this Tollgate: state, requests in flight, heartbeat, memory and leased credit",
    reply: {
      status: 200,
      description: "The owner process or the single process, then the other processes in the order of their start.",
      json: {
        title: "InstanceList",
        type: "object",
        required: ["data", "restarting"],
        properties: {
          data: { type: "array", items: instanceSchema },
          restarting: { type: "boolean", description: "Whether a rolling restart is in progress." },
        },
      },
    },
    async run() {
      const { processes } = platform;
      return { data: (await processes.list()).map(viewInstance), restarting: processes.isRestarting };
    },
  });
}
