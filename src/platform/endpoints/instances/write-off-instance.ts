import { operators } from "../../../access/access.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { instanceSchema, viewInstance } from "./instance-view.ts";

const requestSchema = {
  title: "WriteOffRequest",
  type: "object",
  additionalProperties: false,
  required: ["reason"],
  properties: {
    reason: { ...plainTextSchema, minLength: 1, maxLength: 200, description: "The reason, recorded in the audit log." },
  },
} as const satisfies Schema;

const writeOffSchema = {
  title: "WriteOff",
  type: "object",
  required: ["written_off", "instance"],
  properties: {
    written_off: {
      type: "boolean",
      description: "Whether it was written off by this call: false for a preview, and where it had been before.",
    },
    // As it was before the call.
    instance: instanceSchema,
  },
} as const satisfies Schema;

const preview = {
  type: "string",
  enum: ["true", "false"],
  description: "Make the same checks, write nothing off, and return what the process strands.",
} as const satisfies Schema;

/** POST /api/instances/:id/write-off: gives up the journal of a process that will not return. */
export function writeOffInstance(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/instances/:id/write-off",
    access: operators("instances:write"),
    operationId: "writeOffInstance",
    summary: "Write off a lost process that shares a database: close its open holds by their last reported progress, and return its leases",
    query: { preview },
    body: requestSchema,
    reply: {
      status: 200,
      description: "The process before the call, with the leases and holds that its loss strands. Repeating it changes nothing.",
      json: writeOffSchema,
    },
    async run({ body: { reason }, query, param, change }) {
      const id = param("id");
      const isPreview = query.preview === "true";
      const target = { kind: "instance", id } as const;
      const process = await platform.processes.writeOff(
        id,
        isPreview ? undefined : (lost) => change("instance.write_off", target, { before: viewInstance(lost), after: { reason } }),
      );
      if (!process) throw unknownId("unknown_instance", "instance", id);
      return { written_off: !isPreview && process.state !== "written_off", instance: viewInstance(process) };
    },
  });
}
