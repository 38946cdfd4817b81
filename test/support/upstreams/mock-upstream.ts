/** A model provider for tests: it implements the chat-completions format, records the requests, and misbehaves on request. */

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Record<string, unknown>;
  /** Aborted when the gateway cancels the call. */
  readonly signal: AbortSignal;
}

export type Script = (request: RecordedRequest) => Response | Promise<Response>;

export interface MockUpstream {
  readonly baseUrl: string;
  readonly requests: RecordedRequest[];
  /** The last recorded request. */
  last(): RecordedRequest;
  stop(): Promise<void>;
}

/** Starts an upstream that answers each model with its script, by the upstream's name for the model. */
export function startMockUpstream(scripts: Readonly<Record<string, Script>>): MockUpstream {
  const requests: RecordedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const text = await request.text();
      const body = JSON.parse(text || "{}") as Record<string, unknown>;
      const recorded = {
        method: request.method,
        path: new URL(request.url).pathname,
        headers: request.headers,
        text,
        body,
        signal: request.signal,
      };
      requests.push(recorded);
      if (recorded.path !== "/v1/chat/completions") return new Response("nothing here", { status: 404 });
      const script = scripts[String(body["model"])];
      return script ? script(recorded) : Response.json({ error: { message: `no script for ${String(body["model"])}` } }, { status: 404 });
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    requests,
    last: () => requests.at(-1)!,
    stop: () => server.stop(true),
  };
}

/** A message whose token count only the provider knows. */
export const IMAGE_MESSAGE = { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] };

/** One dollar per million input tokens, two per million output tokens, and a tenth of a dollar per million cached tokens. */
export const TEST_PRICE = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1 }";

/** A config file with one model for each name, served by this upstream under the name `up-<name>`. */
export function configFor(baseUrl: string, models: readonly string[], more = ""): string {
  const lines = models.map(
    (model) => `  - { id: ${model}, owned_by: test, routes: [{ upstream: mock, model: up-${model} }], price: ${TEST_PRICE} }`,
  );
  return `upstreams:
  - id: mock
    dialect: openai
    base_url: ${baseUrl}
    allow_private: true
    credential: upstream-credential-canary
${more}
models:
${lines.join("\n")}
`;
}

const HEAD = { id: "chatcmpl-mock", created: 1_700_000_000, model: "up-model" };

export const USAGE = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, prompt_tokens_details: { cached_tokens: 1 } };

/** One chunk, as a correct upstream sends it. */
export function chunk(delta: object, finishReason: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices, usage: null, ...more });
}

export function usageChunk(usage: object = USAGE): string {
  return JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices: [], usage });
}

/** "Hello world", as a correct upstream streams it. */
export const GOOD_CHUNKS = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "Hello" }),
  chunk({ content: " world" }),
  chunk({}, "stop"),
  usageChunk(),
];

export function completion(message: object = {}, more: object = {}): object {
  const choices = [
    { index: 0, message: { role: "assistant", content: "Hello world", refusal: null, ...message }, logprobs: null, finish_reason: "stop" },
  ];
  return { ...HEAD, object: "chat.completion", choices, usage: USAGE, ...more };
}

/** An event stream of these events, and `[DONE]`. */
export function events(list: readonly string[]): Response {
  return rawEvents([...list, "[DONE]"].map((event) => `data: ${event}\n\n`).join(""));
}

export function rawEvents(body: string | ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** A stream that is written by the test: `write` sends data, and the body stays open until `end`. */
export function manualStream(): {
  stream: ReadableStream<Uint8Array>;
  write: (text: string) => void;
  end: () => void;
  fail: () => void;
  cancelled: Promise<void>;
} {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => resolve(),
  });
  return {
    stream,
    write: (text) => controller.enqueue(new TextEncoder().encode(text)),
    end: () => controller.close(),
    fail: () => controller.error(new Error("cut")),
    cancelled,
  };
}
