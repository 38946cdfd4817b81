import { eventsOf, framesOf, reasoning, text, toolUse } from "./converse-answers.ts";
import { exceptionFrame } from "./converse-frames.ts";
import { refusal, type Script } from "./converse-server.ts";

type Json = Record<string, unknown>;

export const HELLO = [text("Hello world")];
export const THOUGHT = reasoning("They want the weather.", "c2lnbmVkIGJ5IENsYXVkZQ==");
export const CALLS = [toolUse("tooluse_1", "weather", { city: "Oslo" }), toolUse("tooluse_2", "weather", { city: "Rome" })];

const weather: Script = (request) =>
  isAnswered(request) ? { content: HELLO } : { content: [text("I look."), ...CALLS], stopReason: "tool_use" };

const thoughtfulWeather: Script = (request) => {
  if (isAnswered(request)) return { content: HELLO };
  const isThinking = request["additionalModelRequestFields"] !== undefined;
  return { content: [...(isThinking ? [THOUGHT] : []), ...CALLS.slice(0, 1)], stopReason: "tool_use" };
};

const hello = framesOf(eventsOf(HELLO));
const flipped = hello.map((frame) => Buffer.from(frame));
flipped[2]![20]! ^= 1;

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

/** The response of each model, by the name that clients use. Each model is a separate inference profile, given by its ARN. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  chat: () => ({ content: HELLO }),
  weather,
  thoughtful: thoughtfulWeather,
  thinking: () => ({ content: [THOUGHT, ...HELLO] }),
  json: () => ({ content: [text('{"rain":true}')] }),
  guarded: () => ({ content: [text("I can")], stopReason: "guardrail_intervened" }),
  malformed: () => ({ content: [text("I")], stopReason: "malformed_tool_use" }),
  narrow: () => refusal(400, "ValidationException", "Input is too long for requested model."),
  throttled: () => refusal(429, "ThrottlingException", "Too many requests, please wait before trying again."),
  quota: () => refusal(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."),
  denied: () =>
    refusal(403, "AccessDeniedException", "User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModel on resource: r"),
  slow: () => refusal(408, "ModelTimeoutException", "Model has timed out in processing the request."),
  overloaded: () => [exceptionFrame("serviceUnavailableException", { message: "Bedrock is unable to process your request." })],
  breaking: () => [...hello.slice(0, 2), exceptionFrame("modelStreamErrorException", { message: "secret trouble" })],
  flipped: () => flipped,
  cut: () => hello.slice(0, 2),
};

export const nameOf = (model: string): string => `arn:aws:bedrock:us-east-1:123456789012:inference-profile/${model}.${CLAUDE}`;

/** A config file with one model for each script. */
export function configOf(baseUrl: string, credential: string): string {
  const price = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
  const lines = Object.keys(SCRIPTS).map(
    (model) => `  - { id: ${model}, routes: [{ upstream: aws-${model}, model: "${nameOf(model)}" }], price: ${price} }`,
  );
  // A separate upstream for each model, so that a circuit breaker affects only one model.
  const upstreams = Object.keys(SCRIPTS).map(
    (model) => `  - { id: aws-${model}, dialect: bedrock, base_url: "${baseUrl}", allow_private: true, credential: ${credential} }`,
  );
  return `upstreams:\n${upstreams.join("\n")}\nmodels:\n${lines.join("\n")}\n`;
}

function isAnswered(request: Json): boolean {
  return (request["messages"] as { content: Json[] }[]).some(({ content }) => content.some(({ toolResult }) => toolResult !== undefined));
}
