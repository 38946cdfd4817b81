import { jsonSchema, tool } from "ai";
import { WEATHER_TOOL } from "./weather-upstream.ts";

/** The weather tool in the form of the AI SDK, with its result. */
export const AI_WEATHER_TOOL = tool({
  inputSchema: jsonSchema<{ city: string }>(WEATHER_TOOL.function.parameters),
  execute: ({ city }) => `rain in ${city}`,
});
