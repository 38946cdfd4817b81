import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { piecesOf, type RecordedDialect, type RecordedEvent } from "../streams/recorded-responses.ts";

/** The usage that the provider bills: most of the output is hidden reasoning. */
export const BILLED = { promptTokens: 40, completionTokens: 16_050, reasoningTokens: 16_000 };

/** A reasoning model in one of the formats: it thinks, answers, and adds padding before it reports usage. */
interface ReasoningStream {
  readonly answer: readonly RecordedEvent[];
  /** The padding is the first event. */
  readonly rest: (padding: string) => readonly RecordedEvent[];
  readonly json: string;
}

const { promptTokens, completionTokens, reasoningTokens } = BILLED;

const OPENAI = { id: "c1", created: 1_700_000_000, model: "m" };
const OPENAI_USAGE = {
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
};

function openaiChunk(delta: object, finishReason: string | null = null): string {
  return JSON.stringify({ ...OPENAI, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] });
}

const openai: ReasoningStream = {
  answer: [{ data: openaiChunk({ role: "assistant", content: "42 END" }) }],
  rest: (padding) => [
    { data: openaiChunk({ content: padding }) },
    { data: openaiChunk({}, "stop") },
    { data: JSON.stringify({ ...OPENAI, object: "chat.completion.chunk", choices: [], usage: OPENAI_USAGE }) },
    { data: "[DONE]" },
  ],
  json: JSON.stringify({
    ...OPENAI,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "42 END" }, finish_reason: "stop" }],
    usage: OPENAI_USAGE,
  }),
};

const RESPONSE = { id: "resp_1", object: "response", created_at: 1_700_000_000, model: "m", error: null };
const ITEM = { id: "msg_1", type: "message", role: "assistant", status: "completed" };
const RESPONSES_USAGE = {
  input_tokens: promptTokens,
  output_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
};

function responsesEvent(type: string, rest: object): RecordedEvent {
  return { name: type, data: JSON.stringify({ type, ...rest }) };
}

const responses: ReasoningStream = {
  answer: [
    responsesEvent("response.created", { response: { ...RESPONSE, status: "in_progress", output: [] } }),
    responsesEvent("response.output_item.added", { output_index: 0, item: { ...ITEM, content: [] } }),
    responsesEvent("response.output_text.delta", { output_index: 0, content_index: 0, delta: "42 END" }),
  ],
  rest: (padding) => [
    responsesEvent("response.output_text.delta", { output_index: 0, content_index: 0, delta: padding }),
    responsesEvent("response.output_item.done", {
      output_index: 0,
      item: { ...ITEM, content: [{ type: "output_text", text: `42 END${padding}` }] },
    }),
    responsesEvent("response.completed", { response: { ...RESPONSE, status: "completed", output: [], usage: RESPONSES_USAGE } }),
  ],
  json: JSON.stringify({
    ...RESPONSE,
    status: "completed",
    output: [{ ...ITEM, content: [{ type: "output_text", text: "42 END" }] }],
    usage: RESPONSES_USAGE,
  }),
};

function anthropicEvent(name: string, rest: object): RecordedEvent {
  return { name, data: JSON.stringify({ type: name, ...rest }) };
}

const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m" };

const anthropic: ReasoningStream = {
  answer: [
    anthropicEvent("message_start", {
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: promptTokens, output_tokens: 4 } },
    }),
    anthropicEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    anthropicEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text: "42 END" } }),
  ],
  rest: (padding) => [
    anthropicEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text: padding } }),
    anthropicEvent("content_block_stop", { index: 0 }),
    anthropicEvent("message_delta", {
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: completionTokens, output_tokens_details: { thinking_tokens: reasoningTokens } },
    }),
    anthropicEvent("message_stop", {}),
  ],
  json: JSON.stringify({
    ...MESSAGE,
    content: [{ type: "text", text: "42 END" }],
    stop_reason: "end_turn",
    usage: {
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      output_tokens_details: { thinking_tokens: reasoningTokens },
    },
  }),
};

function geminiAnswer(text: string, finishReason?: string): string {
  const counts = { candidatesTokenCount: completionTokens - reasoningTokens, thoughtsTokenCount: reasoningTokens };
  return JSON.stringify({
    candidates: [{ content: { parts: [{ text }], role: "model" }, ...(finishReason && { finishReason }), index: 0 }],
    ...(finishReason && {
      usageMetadata: { promptTokenCount: promptTokens, ...counts, totalTokenCount: promptTokens + completionTokens },
    }),
    responseId: "r1",
  });
}

/** The compatible servers report usage at the end; Google's own API reports it in each event. */
const gemini: ReasoningStream = {
  answer: [{ data: geminiAnswer("42 END") }],
  rest: (padding) => [{ data: geminiAnswer(padding) }, { data: geminiAnswer("", "STOP") }],
  json: geminiAnswer("42 END", "STOP"),
};

const BEDROCK_USAGE = { inputTokens: promptTokens, outputTokens: completionTokens, totalTokens: promptTokens + completionTokens };

const bedrock: ReasoningStream = {
  answer: [
    { name: "messageStart", data: '{"role":"assistant"}' },
    { name: "contentBlockDelta", data: JSON.stringify({ contentBlockIndex: 0, delta: { text: "42 END" } }) },
  ],
  rest: (padding) => [
    { name: "contentBlockDelta", data: JSON.stringify({ contentBlockIndex: 0, delta: { text: padding } }) },
    { name: "contentBlockStop", data: '{"contentBlockIndex":0}' },
    { name: "messageStop", data: '{"stopReason":"end_turn"}' },
    { name: "metadata", data: JSON.stringify({ usage: BEDROCK_USAGE, metrics: { latencyMs: 5 } }) },
  ],
  json: JSON.stringify({
    output: { message: { role: "assistant", content: [{ text: "42 END" }] } },
    stopReason: "end_turn",
    usage: BEDROCK_USAGE,
  }),
};

const STREAMS: Readonly<Record<RecordedDialect, ReasoningStream>> = { openai, responses, anthropic, gemini, bedrock };

/** One call, as the upstream records it. */
export interface ReasoningCall {
  /** Sends the answer of a stream, up to its END. */
  answer(): void;
  /** Sends padding of a stream. */
  pad(text: string): void;
  /** Sends the rest with the usage, or the JSON response. */
  finish(): void;
  /** Responds with an error. */
  fail(): void;
  /** Whether the gateway has cancelled the call. */
  readonly isCancelled: boolean;
}

/** An upstream whose responses are controlled by the test. Its paths start with the name of a format. */
export async function startReasoningUpstream(): Promise<{ port: number; calls: ReasoningCall[]; stop(): void }> {
  const calls: ReasoningCall[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      const dialect = request.url!.split("/")[1] as RecordedDialect;
      const isStream = body.includes('"stream":true') || /:streamGenerateContent|\/converse-stream/.test(request.url!);
      calls.push(startCall(STREAMS[dialect], dialect === "bedrock", isStream, response));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, calls, stop: () => server.close().closeAllConnections() };
}

function startCall(stream: ReasoningStream, isBinary: boolean, isStream: boolean, response: ServerResponse): ReasoningCall {
  let isCancelled = false;
  response.on("close", () => (isCancelled = !response.writableFinished));
  const send = (events: readonly RecordedEvent[]): void => {
    if (!response.headersSent)
      response.writeHead(200, { "content-type": isBinary ? "application/vnd.amazon.eventstream" : "text/event-stream" });
    for (const event of events) response.write(Buffer.concat(piecesOf(event, isBinary)));
  };
  return {
    get isCancelled() {
      return isCancelled;
    },
    answer: () => send(stream.answer),
    pad: (text) => send(stream.rest(text).slice(0, 1)),
    finish() {
      if (!isStream) return void response.writeHead(200, { "content-type": "application/json" }).end(stream.json);
      send(stream.rest("padding padding"));
      response.end();
    },
    fail: () => void response.writeHead(500).end(),
  };
}
