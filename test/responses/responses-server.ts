import { unpairedResult, violationOfResponses } from "./responses-rules.ts";

/** A double of OpenAI's Responses API: it checks what it receives strictly, and answers each model with its script. */

type Json = Readonly<Record<string, unknown>>;

export interface ResponsesRequest {
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

/** The items of a response, or a reply of its own. */
export type ResponsesScript = (request: ResponsesRequest) => Response | ScriptedResponse;

export interface ScriptedResponse {
  readonly items: readonly Json[];
  readonly status?: "completed" | "incomplete";
  readonly usage?: Json;
  /** More fields of the response. */
  readonly more?: Json;
  /** Stops the stream after this many events, as if the server had died. */
  readonly events?: number;
}

export const RESPONSES_CREDENTIAL = "responses-credential-canary";

export const RESPONSE_USAGE = {
  input_tokens: 15,
  input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 22,
};

export interface ResponsesServer {
  readonly baseUrl: string;
  readonly requests: ResponsesRequest[];
  last(): ResponsesRequest;
  stop(): Promise<void>;
}

export function startResponsesServer(scripts: Readonly<Record<string, ResponsesScript>>): ResponsesServer {
  const requests: ResponsesRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/v1/models") return Response.json({ object: "list", data: Object.keys(scripts).map((id) => ({ id })) });
      const text = await request.text();
      const received = { headers: request.headers, text, body: JSON.parse(text || "{}") as Json };
      requests.push(received);
      if (pathname !== "/v1/responses") return new Response("nothing here", { status: 404 });
      const violation = violationIn(received);
      if (violation !== undefined) return rejection(400, violation);
      const script = scripts[String(received.body["model"])];
      if (!script) return rejection(404, `The model ${String(received.body["model"])} does not exist`);
      const answer = script(received);
      if (answer instanceof Response) return answer;
      return received.body["stream"] === true ? streamed(answer, received.body) : Response.json(whole(answer, received.body));
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    requests,
    last: () => requests.at(-1)!,
    stop: () => server.stop(true),
  };
}

function violationIn({ headers, body }: ResponsesRequest): string | undefined {
  if (headers.get("authorization") !== `Bearer ${RESPONSES_CREDENTIAL}`) return "wrong credential";
  if (body["store"] !== false) return "store is not false: the response would be stored";
  const violation =
    violationOfResponses(body) ?? (Array.isArray(body["input"]) ? unpairedResult(body["input"] as readonly Json[]) : undefined);
  if (violation !== undefined) return violation;
  const tools = (body["tools"] ?? []) as readonly Json[];
  if (tools.some(({ type }) => type === "web_search") && body["max_tool_calls"] === undefined) return "web_search costs a fee";
  return undefined;
}

export function rejection(status: number, message: string, code: string | null = null): Response {
  return Response.json({ error: { message, type: "invalid_request_error", param: null, code } }, { status });
}

function head({ model }: Json, status: string): Json {
  return { id: "resp_upstream", object: "response", created_at: 1_700_000_000, status, error: null, incomplete_details: null, model };
}

function whole({ items, status = "completed", usage = RESPONSE_USAGE, more }: ScriptedResponse, body: Json): Json {
  return { ...head(body, status), output: items, usage, ...more };
}

/** The events of a response, with a delta for each text. */
function eventsOf(script: ScriptedResponse, body: Json): Json[] {
  const started = { ...head(body, "in_progress"), output: [], usage: null };
  const events: Json[] = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...script.items.flatMap((item, at) => eventsOfItem(item, at)),
    { type: `response.${script.status ?? "completed"}`, response: whole(script, body) },
  ];
  return events.map(({ type, ...fields }, at) => ({ type, sequence_number: at, ...fields }));
}

function eventsOfItem(item: Json, at: number): Json[] {
  const place = { item_id: item["id"], output_index: at };
  const added = { type: "response.output_item.added", output_index: at, item };
  const done = { type: "response.output_item.done", output_index: at, item };
  if (item["type"] === "function_call") {
    return [added, { type: "response.function_call_arguments.delta", ...place, delta: item["arguments"] }, done];
  }
  if (item["type"] !== "message") return [added, done];
  const [{ text }] = item["content"] as readonly [{ text: string }];
  return [added, { type: "response.output_text.delta", ...place, content_index: 0, delta: text, logprobs: [] }, done];
}

/** The frames of a stream, one for each event. */
export function responseFrames(script: ScriptedResponse, body: Json): string[] {
  const events = eventsOf(script, body).slice(0, script.events);
  return events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`);
}

function streamed(script: ScriptedResponse, body: Json): Response {
  const frames = responseFrames(script, body);
  return new Response(frames.join(""), { headers: { "content-type": "text/event-stream", "openai-organization": "org-canary" } });
}

export function saying(text: string): Json {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { id: "msg_upstream", type: "message", status: "completed", role: "assistant", content };
}
