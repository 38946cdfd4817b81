import { answerOf, eventsOf, framesOf } from "./converse-answers.ts";
import { problemOfConverse } from "./converse-rules.ts";

type Json = Record<string, unknown>;

/** A server of the Converse API for tests: it enforces the API's rules, responds by script, and records the requests. */
export interface ConverseServer {
  readonly baseUrl: string;
  /** The valid requests. */
  readonly requests: Json[];
  last(): Json;
  stop(): Promise<void>;
}

/** A model's response: content with a stop reason, the frames of a stream, or a complete HTTP response. */
export type Answer =
  | { readonly content: readonly Json[]; readonly stopReason?: string; readonly usage?: Json }
  | readonly Buffer[]
  | Response;

export type Script = (request: Json) => Answer;

export const CREDENTIAL = "bedrock-api-key-canary";

export function startConverseServer(scripts: Readonly<Record<string, Script>>): ConverseServer {
  const requests: Json[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (request.headers.get("authorization") !== `Bearer ${CREDENTIAL}`) {
        return refusal(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.");
      }
      const [, model, operation] = /^\/model\/([^/]+)\/(converse|converse-stream)$/.exec(new URL(request.url).pathname) ?? [];
      if (model === undefined || request.method !== "POST") return refusal(404, "UnknownOperationException", "");
      const accept = operation === "converse" ? "application/json" : "application/vnd.amazon.eventstream";
      if (request.headers.get("accept") !== accept) return refusal(400, "ValidationException", "accept");
      const name = decodeURIComponent(model);
      const body = (await request.json()) as Json;
      const problem = problemOfConverse(body, name);
      if (problem !== undefined) return refusal(400, "ValidationException", problem);
      const script = scripts[name];
      if (!script) return refusal(400, "ValidationException", "The provided model identifier is invalid.");
      requests.push(body);
      return reply(script(body), operation === "converse-stream");
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}`, requests, last: () => requests.at(-1)!, stop: () => server.stop(true) };
}

/** A rejection in the format of the API. */
export function refusal(status: number, type: string, message: string): Response {
  const headers = { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`, "x-amzn-requestid": "r1" };
  return Response.json({ message }, { status, headers });
}

function reply(answer: Answer, isStream: boolean): Response {
  if (answer instanceof Response) return answer;
  if ("content" in answer) {
    const { content, stopReason, usage } = answer;
    return isStream ? streamOf(framesOf(eventsOf(content, stopReason, usage))) : Response.json(answerOf(content, stopReason, usage));
  }
  return streamOf(answer);
}

function streamOf(frames: readonly Buffer[]): Response {
  return new Response(Buffer.concat(frames), { headers: { "content-type": "application/vnd.amazon.eventstream" } });
}
