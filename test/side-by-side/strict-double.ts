import { chunk, completion, events, rawEvents, USAGE, usageChunk } from "../support/upstreams/mock-upstream.ts";

/** A request as the double received it. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StrictDouble {
  readonly baseUrl: string;
  /** Returns the chat completions since its last call, in order. */
  take(): ReceivedRequest[];
  stop(): Promise<void>;
}

/** Part of each error of the double, to see whether a gateway passes the text on. */
export const UPSTREAM_TEXT = "the upstream says";

/** The fields of OpenAI's chat completions. Other fields are rejected, as by OpenAI. */
const FIELDS = new Set(
  `audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata modalities model
  moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort
  response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user
  verbosity web_search_options`
    .trim()
    .split(/\s+/),
);

type Reply = (body: Readonly<Record<string, unknown>>) => Response | Promise<Response>;

function error(status: number, fields: object = {}, headers: Record<string, string> = {}): Reply {
  const problem = { message: `${UPSTREAM_TEXT} ${status}`, type: "invalid_request_error", param: null, code: null, ...fields };
  return () => Response.json({ error: problem }, { status, headers });
}

const TOO_LONG = {
  message: `${UPSTREAM_TEXT}: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.`,
  param: "messages",
  code: "context_length_exceeded",
};
const FILTERED = {
  message: `${UPSTREAM_TEXT}: Your request was rejected as a result of our safety system.`,
  code: "content_policy_violation",
};
const QUOTA = { type: "insufficient_quota", code: "insufficient_quota" };
const LIMIT = { type: "requests", code: "rate_limit_exceeded" };
const SERVER = { type: "server_error" };

const ROLE = chunk({ role: "assistant", content: "" });
const HELLO = chunk({ content: "Hello" });
const WORLD = chunk({ content: " world" });
const STOP = chunk({}, "stop");

/** Lines of an event stream, without its end. */
const lines = (...list: string[]): string => list.map((event) => `data: ${event}\n\n`).join("");

/** A connection that is closed in the middle of a chunked body. */
function cut(text: string, type: string): Response {
  const pieces = [text];
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) return controller.enqueue(new TextEncoder().encode(piece));
      // The bytes sent before must arrive.
      await Bun.sleep(50);
      controller.error(new Error("cut"));
    },
  });
  return new Response(stream, { headers: { "content-type": type } });
}

const never = (): Promise<Response> => new Promise(() => undefined);

/** Failing models, each under the same name at the gateways. Models with their own credentials or settings are in config.yaml. */
export const FAILING: Readonly<Record<string, Reply>> = {
  "status-400": error(400, { param: "temperature", code: "invalid_value" }),
  silent: never,
  "status-404": error(404, { code: "model_not_found" }),
  "status-408": error(408, SERVER),
  "status-409": error(409),
  "status-413": error(413),
  "status-422": error(422, { param: "messages", code: "invalid_value" }),
  "status-429": error(429, LIMIT),
  "status-429-wait": error(429, LIMIT, { "retry-after": "1" }),
  "status-500": error(500, SERVER),
  "status-502": () => new Response("<html>Bad Gateway</html>", { status: 502, headers: { "content-type": "text/html" } }),
  "status-503": error(503, SERVER),
  "status-503-wait": error(503, SERVER, { "retry-after": "1" }),
  "status-529": error(529, { type: "overloaded_error" }),
  redirects: () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/v1/chat/completions" } }),
  "too-long-alone": error(400, TOO_LONG),
  "filtered-alone": error(400, FILTERED),
  "is-html": () => new Response("<html>Hello</html>", { headers: { "content-type": "text/html" } }),
  "is-empty": () => new Response("", { headers: { "content-type": "application/json" } }),
  "error-in-200": () => Response.json({ error: { message: `${UPSTREAM_TEXT} no`, type: "server_error", param: null, code: null } }),
  "no-choices": () => Response.json(completion({}, { choices: [] })),
  "is-cut": () => cut('{"id":"chatcmpl-mock","choices":[{"in', "application/json"),
  "no-usage": ({ stream }) => (stream === true ? events([ROLE, HELLO, WORLD, STOP]) : Response.json(completion({}, { usage: undefined }))),
  "other-name": () => Response.json(completion({}, { model: "name-of-the-provider" })),
  "ends-by-length": () => Response.json(completionEnding("length", "Hello wor")),
  "ends-by-filter": () => Response.json(completionEnding("content_filter", "")),
  refuses: () => Response.json(completion({ content: null, refusal: "No." })),
  reasons: () => Response.json(completion({ reasoning_content: "Hmm." })),
  "has-more-fields": () =>
    Response.json(completion({ annotations: [] }, { system_fingerprint: "fp_1", service_tier: "default", extra: 1 })),
  "stream-cut": () => cut(lines(ROLE, HELLO), "text/event-stream"),
  "stream-ends-early": () => rawEvents(lines(ROLE, HELLO)),
  "stream-error": () =>
    rawEvents(
      lines(ROLE, HELLO, JSON.stringify({ error: { message: `${UPSTREAM_TEXT} no`, type: "server_error", param: null, code: null } })),
    ),
  "stream-error-first": () =>
    rawEvents(lines(JSON.stringify({ error: { message: `${UPSTREAM_TEXT} no`, type: "server_error", param: null, code: null } }))),
  "stream-empty": () => rawEvents(""),
  "stream-only-done": () => rawEvents(lines("[DONE]")),
  "stream-no-done": () => rawEvents(lines(ROLE, HELLO, WORLD, STOP, usageChunk())),
  "stream-no-finish": () => rawEvents(lines(ROLE, HELLO, WORLD, "[DONE]")),
  "stream-no-role": () => events([HELLO, WORLD, STOP, usageChunk()]),
  "stream-bad-json": () => rawEvents(lines(ROLE, HELLO, '{"id": "chatcmpl', "[DONE]")),
  "stream-comments": () =>
    rawEvents(`: hello\r\n\r\n${lines(ROLE, HELLO).replaceAll("\n", "\r\n")}: wait\n\n${lines(WORLD, STOP, usageChunk(), "[DONE]")}`),
  "stream-usage-last": () => events([ROLE, HELLO, WORLD, chunk({}, "stop", { usage: USAGE })]),
};

const OTHERS: Readonly<Record<string, Reply>> = {
  good: reply,
  "status-500-first": error(500, SERVER),
  "status-500-fallback": error(500, SERVER),
  "status-500-fallback-streamed": error(500, SERVER),
  "status-401": error(401, { code: "invalid_api_key" }),
  "status-403": error(403, { type: "permission_error" }),
  "status-429-quota": error(429, QUOTA),
  "too-long": error(400, TOO_LONG),
  filtered: error(400, FILTERED),
  "silent-too": never,
  "stream-stalls": () => rawEvents(stalling(lines(ROLE, HELLO))),
};

const OUTPUT = { type: "output_text", text: "Hello world", annotations: [] };

/** Replies of APIs that Tollgate does not implement. */
const OTHER_APIS: Readonly<Record<string, object>> = {
  "/v1/completions": {
    id: "cmpl-mock",
    object: "text_completion",
    created: 1,
    model: "good",
    choices: [{ index: 0, text: "Hello world", logprobs: null, finish_reason: "stop" }],
    usage: USAGE,
  },
  "/v1/embeddings": {
    object: "list",
    model: "good",
    data: [{ object: "embedding", index: 0, embedding: [0.5] }],
    usage: { prompt_tokens: 5, total_tokens: 5 },
  },
  "/v1/responses": {
    id: "resp_mock",
    object: "response",
    created_at: 1,
    model: "good",
    status: "completed",
    output: [{ type: "message", id: "msg_mock", role: "assistant", status: "completed", content: [OUTPUT] }],
    usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
  },
};

/** Starts the upstream of both gateways. */
export function startStrictDouble(): StrictDouble {
  let received: ReceivedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      if (path === "/v1/models")
        return Response.json({ object: "list", data: [{ id: "good", object: "model", created: 1, owned_by: "double" }] });
      const text = await request.text();
      const body = JSON.parse(text || "{}") as Record<string, unknown>;
      received.push({ path, headers: request.headers, body });
      const other = OTHER_APIS[path];
      return other ? Response.json(other) : answer(body);
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    take() {
      const taken = received;
      received = [];
      return taken;
    },
    stop: () => server.stop(true),
  };
}

function answer(body: Readonly<Record<string, unknown>>): Response | Promise<Response> {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) {
    const fields = { message: `Unknown parameter: '${unknown}', ${UPSTREAM_TEXT}.`, param: unknown, code: "unknown_parameter" };
    return error(400, fields)(body);
  }
  const name = String(body["model"]);
  return (OTHERS[name] ?? FAILING[name] ?? error(404, { code: "model_not_found" }))(body);
}

/** The response of a working model: calls of all offered tools, JSON if it is requested, otherwise "Hello world". */
function reply(body: Readonly<Record<string, unknown>>): Response {
  const { tools, stream, n, logprobs, response_format: format, tool_choice: choice } = body;
  const offered = choice === "none" || hasToolResult(body) ? [] : ((tools ?? []) as { function: { name: string } }[]);
  const calls = offered.map(({ function: { name } }, at) => ({
    id: `call_${at}`,
    type: "function",
    function: { name, arguments: '{"city":"Oslo"}' },
  }));
  const text = format && (format as { type: string }).type !== "text" ? '{"city":"Oslo"}' : "Hello world";
  const count = typeof n === "number" ? n : 1;
  const reason = calls.length > 0 ? "tool_calls" : "stop";
  const probabilities =
    logprobs === true ? { content: [{ token: "Hello", logprob: -0.1, bytes: null, top_logprobs: [] }], refusal: null } : null;
  if (stream === true) return events(chunksOf(calls, text, count, reason, wantsUsage(body)));
  const message = {
    role: "assistant",
    content: calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = Array.from({ length: count }, (_, index) => ({ index, message, logprobs: probabilities, finish_reason: reason }));
  return Response.json(completion({}, { model: body["model"], choices, usage: usageOf(count) }));
}

/** The usage: each choice has two tokens. */
function usageOf(choices: number): object {
  const completionTokens = USAGE.completion_tokens * choices;
  return { ...USAGE, completion_tokens: completionTokens, total_tokens: USAGE.prompt_tokens + completionTokens };
}

function chunksOf(calls: readonly object[], text: string, count: number, reason: string, withUsage: boolean): string[] {
  const list = Array.from({ length: count }, (_, index) => {
    const at = { choices: (delta: object, end: string | null) => [{ index, delta, logprobs: null, finish_reason: end }] };
    const piece = (delta: object, end: string | null = null): string => chunk({}, null, { choices: at.choices(delta, end) });
    const said = [...text.matchAll(/\s?\S+/g)].map(([word]) => piece({ content: word }));
    const called = calls.map((call, nth) => piece({ tool_calls: [{ index: nth, ...call }] }));
    return [piece({ role: "assistant", content: calls.length > 0 ? null : "" }), ...(calls.length > 0 ? called : said), piece({}, reason)];
  });
  return [...list.flat(), ...(withUsage ? [usageChunk(usageOf(count))] : [])];
}

function wantsUsage({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return (options as { include_usage?: boolean } | undefined)?.include_usage === true;
}

function hasToolResult({ messages }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(messages) && messages.some((message: { role?: unknown } | null) => message?.role === "tool");
}

function completionEnding(reason: string, content: string): object {
  const message = { role: "assistant", content, refusal: null };
  return completion({}, { choices: [{ index: 0, message, logprobs: null, finish_reason: reason }] });
}

/** Sends this text, and nothing after it. */
function stalling(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) });
}
