import { chunk, completion, events, GOOD_CHUNKS, usageChunk, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";

/** A tool in the form that clients declare it. */
export const WEATHER_TOOL = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] as string[] },
  },
} as const;

/** The upstream's call of the tool. */
export const WEATHER_CALL = { id: "call_weather", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } } as const;

const CALLING_CHUNKS = [
  chunk({ role: "assistant", content: null }),
  fragment({ id: WEATHER_CALL.id, type: "function", function: { name: "weather", arguments: "" } }),
  fragment({ function: { arguments: '{"city"' } }),
  fragment({ function: { arguments: ':"Oslo"}' } }),
  chunk({}, "tool_calls"),
  usageChunk(),
];

/** Calls the tool, whole or in fragments, and says "Hello world" after it has received the tool's result. */
export function callWeather({ body }: RecordedRequest): Response {
  const isAnswered = (body["messages"] as { role: string }[]).some((message) => message.role === "tool");
  if (body["stream"] === true) return events(isAnswered ? GOOD_CHUNKS : CALLING_CHUNKS);
  return Response.json(isAnswered ? completion() : completion({ content: null, tool_calls: [WEATHER_CALL] }));
}

function fragment(piece: object): string {
  return chunk({ tool_calls: [{ index: 0, ...piece }] });
}
