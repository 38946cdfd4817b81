import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { instanceWithLeasesSchema, viewInstanceWithLeases } from "./instance-view.ts";

/** GET /api/instances/:id: a process with its leases. */
export function showInstance(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/instances/:id",
    access: operators("instances:read"),
    operationId: "showInstance",
    summary: "Show a process of this Tollgate, with its leases of accounts and keys",
    reply: { status: 200, description: "The process.", json: instanceWithLeasesSchema },
    async run({ param }) {
      const id = param("id");
      const process = await platform.processes.find(id);
      if (!process) throw unknownId("unknown_instance", "instance", id);
      return viewInstanceWithLeases(process);
    },
  });
}
