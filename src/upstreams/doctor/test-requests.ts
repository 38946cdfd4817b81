import type { TestRequest } from "./examined-model.ts";

/** The doctor's test requests, each as small as its check allows. */

const user = (content: string): Record<string, unknown> => ({ role: "user", content });

export const PLAIN: TestRequest = { messages: [user("Count from 1 to 5, in digits, and say nothing else.")] };

/** Long enough to be cancelled midway. */
export const LONG: TestRequest = { messages: [user("Count from 1 to 200, in digits, one line each, and say nothing else.")] };

export const TOOL = "get_weather";

export const FOR_TOOL: TestRequest = {
  messages: [user("What is the weather in Oslo? Use the tool.")],
  tools: [
    {
      type: "function",
      function: {
        name: TOOL,
        description: "Returns the weather in a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
      },
    },
  ],
  tool_choice: { type: "function", function: { name: TOOL } },
};

export const FOR_SCHEMA: TestRequest = {
  messages: [user("What is 2 + 3?")],
  response_format: {
    type: "json_schema",
    json_schema: {
      name: "sum",
      strict: true,
      schema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"], additionalProperties: false },
    },
  },
};

/** A model that no server serves. */
export const NO_MODEL = "tollgate-doctor-no-such-model";
