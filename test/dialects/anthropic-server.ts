import { eventsOf, message, wireOf } from "./messages-answers.ts";
import { problemOfRequest } from "./messages-rules.ts";

type Json = Record<string, unknown>;

/** A server of the Messages API for tests: it enforces the API's rules, responds by script, and records the requests. */
export interface AnthropicServer {
  readonly baseUrl: string;
  /** The valid requests. */
  readonly requests: Json[];
  /** The same requests as they arrived. */
  readonly received: ReceivedRequest[];
  last(): Json;
  stop(): Promise<void>;
}

interface ReceivedRequest {
  readonly headers: Headers;
  readonly text: string;
}

/** A model's response: content with a stop reason, or a complete HTTP response. */
export type Answer = { readonly content: readonly Json[]; readonly stopReason?: string } | Response;

export type Script = (request: Json) => Answer | Json[];

export const CREDENTIAL = "sk-ant-credential-canary";

/** A place that serves the API: Anthropic or Vertex AI. */
export interface AnthropicPlace {
  readonly basePath: string;
  /** Reads the body of a request in the form of Anthropic's own API, or returns a rejection. */
  read(request: Request): Promise<Json | Response>;
}

const ANTHROPIC_API: AnthropicPlace = {
  basePath: "/v1",
  read: async (request) => refusalOfHead(request) ?? ((await request.json()) as Json),
};

/**
 * Starts a server that answers each model with its script. Lists of events are streams; other responses are a stream or JSON, as requested.
 */
export function startAnthropicServer(scripts: Readonly<Record<string, Script>>, place: AnthropicPlace = ANTHROPIC_API): AnthropicServer {
  const requests: Json[] = [];
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { headers } = request;
      const arrived = await request.clone().text();
      const body = await place.read(request);
      if (body instanceof Response) return body;
      const isCount = /\/count[-_]tokens(?::rawPredict)?$/.test(new URL(request.url).pathname);
      const problem = problemOfRequest(body, isCount);
      if (problem !== undefined) return refusal(400, "invalid_request_error", problem);
      if (isCount) return Response.json({ input_tokens: 42 });
      const script = scripts[String(body["model"])];
      if (!script) return refusal(404, "not_found_error", `model: ${String(body["model"])}`);
      requests.push(body);
      received.push({ headers, text: arrived });
      return reply(script(body), body["stream"] === true);
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}${place.basePath}`,
    requests,
    received,
    last: () => requests.at(-1)!,
    stop: () => server.stop(true),
  };
}

/** A rejection in the words of the API. */
export function refusal(status: number, type: string, words: string, headers: Record<string, string> = {}): Response {
  return Response.json({ type: "error", error: { type, message: words }, request_id: "req_1" }, { status, headers });
}

export function eventStream(events: readonly Json[]): Response {
  return new Response(wireOf(events), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

function refusalOfHead({ method, url, headers }: Request): Response | undefined {
  if (method !== "POST" || !/^\/v1\/messages(?:\/count_tokens)?$/.test(new URL(url).pathname))
    return refusal(404, "not_found_error", "Not found");
  if (headers.get("x-api-key") !== CREDENTIAL) return refusal(401, "authentication_error", "invalid x-api-key");
  if (!/^(?:2023-06-01|2026-10-21)$/.test(headers.get("anthropic-version") ?? ""))
    return refusal(400, "invalid_request_error", "anthropic-version: required");
  return undefined;
}

function reply(answer: Answer | Json[], isStream: boolean): Response {
  if (answer instanceof Response) return answer;
  if (Array.isArray(answer)) return eventStream(answer);
  return isStream ? eventStream(eventsOf(answer.content, answer.stopReason)) : Response.json(message(answer.content, answer.stopReason));
}
