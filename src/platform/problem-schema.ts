import type { Schema } from "../lib/schema/schema.ts";

/** The error body of the platform: problem details, RFC 9457, with a stable code. */
export const problemSchema = {
  title: "Problem",
  type: "object",
  required: ["type", "title", "status", "detail", "code", "param", "request_id"],
  properties: {
    type: { type: "string", description: "A URI of this kind of problem." },
    title: { type: "string", description: "The kind of problem." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "The problem as a sentence." },
    code: { type: "string", description: "The error code. docs/errors.md lists the codes." },
    param: { type: "string", nullable: true, description: "The request field that caused the problem, if any." },
    request_id: { type: "string", description: "The request id, as in the log." },
  },
} as const satisfies Schema;
