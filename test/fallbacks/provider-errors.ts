import type { Behaviour } from "../routes/flaky-upstream.ts";

/** An error of a real provider, in the API format of an upstream. */
export interface ProviderError {
  readonly provider: string;
  readonly dialect: string;
  readonly condition: "error" | "context_length" | "content_filter";
  readonly does: Behaviour;
}

function error(status: number, body: object): Behaviour {
  return () => Response.json(body, { status });
}

function openAi(code: string | null, message: string, type = "invalid_request_error"): object {
  return { error: { message, type, param: "messages", code } };
}

function anthropic(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

const AZURE_FILTER = {
  error: {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: { violence: { filtered: true, severity: "medium" } } },
  },
};

const GEMINI_BLOCKED = {
  promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
  usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
};

/** As JSON, or as the only event of a stream. */
const geminiBlocks: Behaviour = ({ path }) =>
  path.includes("stream")
    ? new Response(`data: ${JSON.stringify(GEMINI_BLOCKED)}\n\n`, { headers: { "content-type": "text/event-stream" } })
    : Response.json(GEMINI_BLOCKED);

const FLAGGED = {
  id: "resp_1",
  object: "response",
  status: "failed",
  error: { code: "invalid_prompt", message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy." },
  output: [],
  usage: null,
};

/** As JSON, or as the only event of a stream. */
const responsesFlags: Behaviour = ({ body }) =>
  body["stream"] === true
    ? new Response(`data: ${JSON.stringify({ type: "response.failed", response: FLAGGED })}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      })
    : Response.json(FLAGGED);

const TOO_LONG = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";

export const PROVIDER_ERRORS: readonly ProviderError[] = [
  { provider: "OpenAI", dialect: "openai", condition: "error", does: error(500, openAi(null, "The server had an error", "server_error")) },
  { provider: "OpenAI", dialect: "openai", condition: "context_length", does: error(400, openAi("context_length_exceeded", TOO_LONG)) },
  {
    provider: "OpenAI",
    dialect: "openai",
    condition: "content_filter",
    does: error(400, openAi("content_policy_violation", "Your request was rejected as a result of our safety system.")),
  },
  {
    provider: "OpenAI Responses",
    dialect: "responses",
    condition: "error",
    does: error(500, openAi(null, "The server had an error", "server_error")),
  },
  {
    provider: "OpenAI Responses",
    dialect: "responses",
    condition: "context_length",
    does: error(400, openAi("context_length_exceeded", "Your input exceeds the context window of this model.")),
  },
  { provider: "OpenAI Responses", dialect: "responses", condition: "content_filter", does: responsesFlags },
  { provider: "Azure", dialect: "openai", condition: "content_filter", does: error(400, AZURE_FILTER) },
  { provider: "Anthropic", dialect: "anthropic", condition: "error", does: error(529, anthropic("overloaded_error", "Overloaded")) },
  {
    provider: "Anthropic",
    dialect: "anthropic",
    condition: "context_length",
    does: error(400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
  },
  {
    provider: "Anthropic",
    dialect: "anthropic",
    condition: "content_filter",
    does: error(400, anthropic("invalid_request_error", "Output blocked by content filtering policy")),
  },
  {
    provider: "Gemini",
    dialect: "gemini",
    condition: "error",
    does: error(503, { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } }),
  },
  {
    provider: "Gemini",
    dialect: "gemini",
    condition: "context_length",
    does: error(400, {
      error: {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    }),
  },
  { provider: "Gemini", dialect: "gemini", condition: "content_filter", does: geminiBlocks },
];
