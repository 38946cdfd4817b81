import { answerOf, eventsOf, framesOf } from "./converse-answers.ts";
import { eventFrame } from "./converse-frames.ts";
import { problemOfConverse } from "./converse-rules.ts";
import { eventsOf as messageEvents, message as messageOf } from "./messages-answers.ts";
import { problemOfInvokeRequest } from "./messages-rules.ts";

type Json = Record<string, unknown>;

/** A server of Bedrock for tests, with its Converse and InvokeModel APIs: it enforces their rules, responds by script, and records the requests. */
export interface ConverseServer {
  readonly baseUrl: string;
  /** The valid requests. */
  readonly requests: Json[];
  /** The same requests as they arrived. */
  readonly received: { readonly operation: string; readonly text: string }[];
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

/** A response of Claude at `InvokeModel`: content with a stop reason, the events or the frames of a stream, or a complete HTTP response. */
export type InvokeScript = (request: Json) => Answer | readonly Json[];

export function startConverseServer(
  scripts: Readonly<Record<string, Script>>,
  invokeScripts: Readonly<Record<string, InvokeScript>> = {},
): ConverseServer {
  const requests: Json[] = [];
  const received: ConverseServer["received"] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (request.headers.get("authorization") !== `Bearer ${CREDENTIAL}`) {
        return refusal(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.");
      }
      const [, model, operation] =
        /^\/model\/([^/]+)\/(converse|converse-stream|invoke|invoke-with-response-stream)$/.exec(new URL(request.url).pathname) ?? [];
      if (model === undefined || request.method !== "POST") return refusal(404, "UnknownOperationException", "");
      const isStream = operation!.endsWith("stream");
      const accept = isStream ? "application/vnd.amazon.eventstream" : "application/json";
      if (request.headers.get("accept") !== accept) return refusal(400, "ValidationException", "accept");
      const name = decodeURIComponent(model);
      const text = await request.text();
      const body = JSON.parse(text) as Json;
      const isInvoke = operation!.startsWith("invoke");
      const problem = isInvoke ? problemOfInvokeRequest(body) : problemOfConverse(body, name);
      if (problem !== undefined) return refusal(400, "ValidationException", problem);
      const script = isInvoke ? invokeScripts[name] : scripts[name];
      if (!script) return refusal(400, "ValidationException", "The provided model identifier is invalid.");
      requests.push(body);
      received.push({ operation: operation!, text });
      return isInvoke ? invokeReply(script(body), isStream) : reply(script(body) as Answer, isStream);
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}`, requests, received, last: () => requests.at(-1)!, stop: () => server.stop(true) };
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

function invokeReply(answer: Answer | readonly Json[], isStream: boolean): Response {
  if (answer instanceof Response) return answer;
  if ("content" in answer) {
    const { content, stopReason } = answer;
    return isStream ? streamOf(invokeFrames(messageEvents(content, stopReason))) : Response.json(messageOf(content, stopReason));
  }
  return streamOf(answer[0] instanceof Buffer ? (answer as readonly Buffer[]) : invokeFrames(answer as readonly Json[]));
}

/** The frames of a stream of Messages events, with Bedrock's own counts in the last one. */
export function invokeFrames(events: readonly Json[]): Buffer[] {
  return events.map((event) => {
    const sent = event["type"] === "message_stop" ? { ...event, "amazon-bedrock-invocationMetrics": METRICS } : event;
    return eventFrame("chunk", { bytes: Buffer.from(JSON.stringify(sent)).toString("base64"), p: "abcdefgh" });
  });
}

const METRICS = {
  inputTokenCount: 10,
  outputTokenCount: 7,
  cacheReadInputTokenCount: 3,
  cacheWriteInputTokenCount: 2,
  invocationLatency: 90,
  firstByteLatency: 40,
};

function streamOf(frames: readonly Buffer[]): Response {
  return new Response(Buffer.concat(frames), { headers: { "content-type": "application/vnd.amazon.eventstream" } });
}
