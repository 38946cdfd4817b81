import { type Script, refusal } from "./anthropic-server.ts";
import { blockDelta, blockStart, errorEvent, eventsOf, PING, START, text, thinking, toolUse } from "./messages-answers.ts";

type Json = Record<string, unknown>;

export const HELLO = [text("Hello world")];
export const THOUGHT = thinking("They want the weather.", "c2lnbmVkIGJ5IENsYXVkZQ==");
export const CALLS = [toolUse("toolu_1", "weather", { city: "Oslo" }), toolUse("toolu_2", "weather", { city: "Rome" })];

/** The weather in two cities, with two tool calls in one turn. */
export const weather: Script = (request) =>
  isAnswered(request) ? { content: HELLO } : { content: [text("I look."), ...CALLS], stopReason: "tool_use" };

/** The same calls by a model that thinks first, if the request enables thinking. */
export const thoughtfulWeather: Script = (request) => {
  if (isAnswered(request)) return { content: HELLO };
  const isThinking = "thinking" in request;
  return { content: [...(isThinking ? [THOUGHT] : []), ...CALLS.slice(0, 1)], stopReason: "tool_use" };
};

/** The response of each model. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  "claude-sonnet-4-5-chat": () => ({ content: HELLO }),
  "claude-sonnet-4-5-weather": weather,
  "claude-sonnet-4-5-thoughtful": thoughtfulWeather,
  "claude-opus-4-7-sampling": () => ({ content: HELLO }),
  "claude-sonnet-4-5-thinking": () => ({ content: [THOUGHT, ...HELLO] }),
  "claude-sonnet-4-5-json": () => ({ content: [text('{"rain":true}')] }),
  "claude-sonnet-4-5-declining": () => ({ content: [text("I can")], stopReason: "refusal" }),
  "claude-sonnet-4-5-narrow": () => refusal(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
  "claude-sonnet-4-5-overloaded": () => [START, PING, errorEvent("overloaded_error")],
  "claude-sonnet-4-5-breaking": () => [
    START,
    blockStart(0, text("")),
    blockDelta(0, { type: "text_delta", text: "Hello" }),
    errorEvent("api_error", "secret trouble"),
  ],
  "claude-sonnet-4-5-cut": () => eventsOf(HELLO).slice(0, 4),
};

/** A config file with one model for each script. Clients call it by the last word of its name. */
export function configOf(baseUrl: string, credential: string): string {
  const price = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
  const lines = Object.keys(SCRIPTS).map(
    (name) => `  - { id: ${name.split("-").at(-1)}, routes: [{ upstream: claude, model: ${name} }], price: ${price} }`,
  );
  return `upstreams:
  - { id: claude, dialect: anthropic, base_url: "${baseUrl}", allow_private: true, credential: ${credential} }
models:
${lines.join("\n")}
`;
}

function isAnswered(request: Json): boolean {
  return (request["messages"] as { content: Json[] }[]).some(({ content }) => content.some(({ type }) => type === "tool_result"));
}
