import { eventsOf, message, wireOf } from "./messages-answers.ts";
import { problemOfRequest } from "./messages-rules.ts";

type Json = Record<string, unknown>;

/** A server of the Messages API for tests: it keeps to the API's rules, answers by script, and records what it answered. */
export interface AnthropicServer {
  readonly baseUrl: string;
  /** The requests that were in order. */
  readonly requests: Json[];
  last(): Json;
  stop(): Promise<void>;
}

/** What a model answers: content with a stop reason, or a reply of its own. */
export type Answer = { readonly content: readonly Json[]; readonly stopReason?: string } | Response;

export type Script = (request: Json) => Answer | Json[];

export const CREDENTIAL = "sk-ant-credential-canary";

/** Where the API is: at Anthropic, or at Vertex AI. */
export interface AnthropicPlace {
  readonly basePath: string;
  /** Reads the body of a request as Anthropic's own API has it, or returns a refusal. */
  read(request: Request): Promise<Json | Response>;
}

const ANTHROPIC_API: AnthropicPlace = {
  basePath: "/v1",
  read: async (request) => refusalOfHead(request) ?? ((await request.json()) as Json),
};

/** Starts one that answers each model with its script. Lists of events are streams; other answers come as they were asked for. */
export function startAnthropicServer(scripts: Readonly<Record<string, Script>>, place: AnthropicPlace = ANTHROPIC_API): AnthropicServer {
  const requests: Json[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const body = await place.read(request);
      if (body instanceof Response) return body;
      const problem = problemOfRequest(body);
      if (problem !== undefined) return refusal(400, "invalid_request_error", problem);
      const script = scripts[String(body["model"])];
      if (!script) return refusal(404, "not_found_error", `model: ${String(body["model"])}`);
      requests.push(body);
      return reply(script(body), body["stream"] === true);
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}${place.basePath}`,
    requests,
    last: () => requests.at(-1)!,
    stop: () => server.stop(true),
  };
}

/** A refusal as the API words it. */
export function refusal(status: number, type: string, words: string, headers: Record<string, string> = {}): Response {
  return Response.json({ type: "error", error: { type, message: words }, request_id: "req_1" }, { status, headers });
}

export function eventStream(events: readonly Json[]): Response {
  return new Response(wireOf(events), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

function refusalOfHead({ method, url, headers }: Request): Response | undefined {
  if (method !== "POST" || new URL(url).pathname !== "/v1/messages") return refusal(404, "not_found_error", "Not found");
  if (headers.get("x-api-key") !== CREDENTIAL) return refusal(401, "authentication_error", "invalid x-api-key");
  if (headers.get("anthropic-version") !== "2023-06-01") return refusal(400, "invalid_request_error", "anthropic-version: required");
  return undefined;
}

function reply(answer: Answer | Json[], isStream: boolean): Response {
  if (answer instanceof Response) return answer;
  if (Array.isArray(answer)) return eventStream(answer);
  return isStream ? eventStream(eventsOf(answer.content, answer.stopReason)) : Response.json(message(answer.content, answer.stopReason));
}
