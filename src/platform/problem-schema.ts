import type { Schema } from "../lib/schema/schema.ts";

/** What the platform answers when something is wrong: problem details, RFC 9457, with a code that stays the same. */
export const problemSchema: Schema = {
  title: "Problem",
  type: "object",
  required: ["type", "title", "status", "detail", "code", "param", "request_id"],
  properties: {
    type: { type: "string", description: "A URI for this kind of problem." },
    title: { type: "string", description: "The kind of problem, in words." },
    status: { type: "integer", description: "The status of the reply." },
    detail: { type: "string", description: "What is wrong, for a person." },
    code: { type: "string", description: "What is wrong, for a program. docs/errors.md lists them." },
    param: { type: "string", nullable: true, description: "The field of the request that is at fault, if one is." },
    request_id: { type: "string", description: "Names the request in the log." },
  },
};
