import { ANYTHING, type Schema } from "../../lib/schema/schema.ts";

/** Fields are listed so that variants of their names are rejected. Their values are validated by the upstream. */
const functionSchema = {
  title: "FunctionDefinition",
  properties: { name: ANYTHING, description: ANYTHING, parameters: ANYTHING, strict: ANYTHING },
} as const satisfies Schema;
const namedSchema = { title: "NamedTool", properties: { name: ANYTHING } } as const satisfies Schema;

/** The parameters that the gateway validates, in requests and in the defaults of routes. All others are validated by the upstream. */
export const parameterSchemas = {
  max_tokens: { type: "integer", minimum: 1, nullable: true, description: "Maximum number of tokens to generate." },
  max_completion_tokens: { type: "integer", minimum: 1, nullable: true, description: "The newer name of `max_tokens`." },
  temperature: { type: "number", minimum: 0, maximum: 2, nullable: true, description: "Sampling temperature." },
  top_p: { type: "number", minimum: 0, maximum: 1, nullable: true },
  n: { type: "integer", minimum: 1, maximum: 128, nullable: true },
  stop: {
    oneOf: [
      { type: "string", nullable: true },
      { type: "array", items: { type: "string" } },
    ],
  },
  frequency_penalty: { type: "number", nullable: true },
  presence_penalty: { type: "number", nullable: true },
  seed: { type: "number", nullable: true, description: "An integer of 64 bits, passed on digit for digit." },
  logprobs: { type: "boolean", nullable: true },
  top_logprobs: { type: "integer", minimum: 0, nullable: true },
  tools: {
    type: "array",
    nullable: true,
    items: {
      title: "Tool",
      type: "object",
      required: ["type"],
      properties: { type: { type: "string" }, function: functionSchema, custom: namedSchema },
    },
  },
  tool_choice: {
    oneOf: [
      { type: "string", nullable: true },
      { title: "NamedToolChoice", type: "object", properties: { type: ANYTHING, function: namedSchema, custom: namedSchema } },
    ],
  },
  parallel_tool_calls: { type: "boolean", nullable: true },
  response_format: {
    title: "ResponseFormat",
    type: "object",
    nullable: true,
    required: ["type"],
    properties: {
      type: { type: "string" },
      json_schema: {
        title: "JsonSchemaFormat",
        properties: { name: ANYTHING, description: ANYTHING, schema: ANYTHING, strict: ANYTHING },
      },
    },
  },
  user: { type: "string", nullable: true },
} as const satisfies Record<string, Schema>;
