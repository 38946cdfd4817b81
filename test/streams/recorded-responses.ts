import { rawEventFrame } from "../dialects/converse-frames.ts";

/** Responses as providers send them, to be cut at every byte: a stream and a JSON response for each dialect. */

export type RecordedDialect = "openai" | "anthropic" | "gemini" | "bedrock";

/** One event of a stream, and what it adds to the response. */
export interface RecordedEvent {
  /** The event's name before its data, in dialects that have names. */
  readonly name?: string;
  readonly data: string;
  /** The output in the event: text, reasoning, names and arguments of tool calls, in order. */
  readonly says?: string;
  /** The usage of everything so far, if the event has it. */
  readonly counts?: readonly [promptTokens: number, completionTokens: number];
  /** Whether the event has the finish reason. */
  readonly finishes?: boolean;
  /** Whether the event marks the end. */
  readonly ends?: boolean;
}

export interface RecordedResponse {
  readonly stream: readonly RecordedEvent[];
  readonly json: string;
  /** Whether the events are AWS frames, instead of server-sent events. */
  readonly isBinary?: boolean;
}

const openaiChunk = (delta: object, finishReason: string | null = null): string =>
  JSON.stringify({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
const openaiCall = (call: object): string => openaiChunk({ tool_calls: [{ index: 0, ...call }] });
const OPENAI_USAGE = { prompt_tokens: 31, completion_tokens: 17, total_tokens: 48 };

const openai: RecordedResponse = {
  stream: [
    { data: openaiChunk({ role: "assistant", content: "" }) },
    { data: openaiChunk({ reasoning_content: "Hm." }), says: "Hm." },
    { data: openaiChunk({ content: "Grüße, 漢字" }), says: "Grüße, 漢字" },
    { data: openaiChunk({ content: ' 🙂 "}\n\ndata: [DONE]\n\n' }), says: ' 🙂 "}\n\ndata: [DONE]\n\n' },
    { data: openaiCall({ id: "t1", type: "function", function: { name: "weather", arguments: "" } }), says: "weather" },
    { data: openaiCall({ function: { arguments: '{"city":' } }), says: '{"city":' },
    { data: openaiCall({ function: { arguments: '"Oslo"}' } }), says: '"Oslo"}' },
    { data: openaiChunk({}, "tool_calls"), finishes: true },
    {
      data: JSON.stringify({
        id: "c1",
        object: "chat.completion.chunk",
        created: 1_700_000_000,
        model: "m",
        choices: [],
        usage: OPENAI_USAGE,
      }),
      counts: [31, 17],
    },
    { data: "[DONE]", ends: true },
  ],
  json: JSON.stringify({
    id: "c1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Grüße, 漢字 🙂" }, finish_reason: "stop" }],
    usage: OPENAI_USAGE,
  }),
};

const anthropicEvent = (name: string, rest: object, more: Omit<RecordedEvent, "name" | "data"> = {}): RecordedEvent => ({
  name,
  data: JSON.stringify({ type: name, ...rest }),
  ...more,
});
const anthropicDelta = (index: number, delta: object, says: string): RecordedEvent =>
  anthropicEvent("content_block_delta", { index, delta }, { says });
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m" };

const anthropic: RecordedResponse = {
  stream: [
    anthropicEvent(
      "message_start",
      { message: { ...MESSAGE, content: [], stop_reason: null, usage: { input_tokens: 31, output_tokens: 1 } } },
      { counts: [31, 1] },
    ),
    anthropicEvent("ping", {}),
    anthropicEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    anthropicDelta(0, { type: "text_delta", text: "Grüße, 漢字" }, "Grüße, 漢字"),
    anthropicDelta(0, { type: "text_delta", text: " 🙂\n\n" }, " 🙂\n\n"),
    anthropicEvent("content_block_stop", { index: 0 }),
    anthropicEvent(
      "content_block_start",
      { index: 1, content_block: { type: "tool_use", id: "t1", name: "weather", input: {} } },
      { says: "weather" },
    ),
    anthropicDelta(1, { type: "input_json_delta", partial_json: '{"city":' }, '{"city":'),
    anthropicDelta(1, { type: "input_json_delta", partial_json: '"Oslo"}' }, '"Oslo"}'),
    anthropicEvent("content_block_stop", { index: 1 }),
    anthropicEvent(
      "message_delta",
      { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 17 } },
      { counts: [31, 17], finishes: true },
    ),
    anthropicEvent("message_stop", {}, { ends: true }),
  ],
  json: JSON.stringify({
    ...MESSAGE,
    content: [{ type: "text", text: "Grüße, 漢字 🙂" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 31, output_tokens: 17 },
  }),
};

const geminiAnswer = (part: object, completionTokens: number, finishReason?: string): string =>
  JSON.stringify({
    candidates: [{ content: { parts: [part], role: "model" }, ...(finishReason && { finishReason }), index: 0 }],
    usageMetadata: { promptTokenCount: 31, candidatesTokenCount: completionTokens, totalTokenCount: 31 + completionTokens },
    responseId: "r1",
  });

const gemini: RecordedResponse = {
  stream: [
    { data: geminiAnswer({ text: "Grüße, 漢字" }, 5), says: "Grüße, 漢字", counts: [31, 5] },
    { data: geminiAnswer({ text: " 🙂\n\n" }, 8), says: " 🙂\n\n", counts: [31, 8] },
    {
      data: geminiAnswer({ functionCall: { name: "weather", args: { city: "Oslo" } } }, 17),
      says: 'weather{"city":"Oslo"}',
      counts: [31, 17],
    },
    { data: geminiAnswer({ text: "" }, 17, "STOP"), counts: [31, 17], finishes: true },
  ],
  json: geminiAnswer({ text: "Grüße, 漢字 🙂" }, 17, "STOP"),
};

const bedrockDelta = (contentBlockIndex: number, delta: object, says: string): RecordedEvent => ({
  name: "contentBlockDelta",
  data: JSON.stringify({ contentBlockIndex, delta }),
  says,
});
const BEDROCK_USAGE = { inputTokens: 31, outputTokens: 17, totalTokens: 48 };

const bedrock: RecordedResponse = {
  isBinary: true,
  stream: [
    { name: "messageStart", data: '{"role":"assistant"}' },
    bedrockDelta(0, { text: "Grüße, 漢字" }, "Grüße, 漢字"),
    bedrockDelta(0, { text: " 🙂\n\n" }, " 🙂\n\n"),
    { name: "contentBlockStop", data: '{"contentBlockIndex":0}' },
    {
      name: "contentBlockStart",
      data: '{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t1","name":"weather"}}}',
      says: "weather",
    },
    bedrockDelta(1, { toolUse: { input: '{"city":' } }, '{"city":'),
    bedrockDelta(1, { toolUse: { input: '"Oslo"}' } }, '"Oslo"}'),
    { name: "contentBlockStop", data: '{"contentBlockIndex":1}' },
    { name: "messageStop", data: '{"stopReason":"tool_use"}', finishes: true },
    { name: "metadata", data: JSON.stringify({ usage: BEDROCK_USAGE, metrics: { latencyMs: 5 } }), counts: [31, 17], ends: true },
  ],
  json: JSON.stringify({
    output: { message: { role: "assistant", content: [{ text: "Grüße, 漢字 🙂" }] } },
    stopReason: "end_turn",
    usage: BEDROCK_USAGE,
  }),
};

const responsesEvent = (type: string, rest: object, more: Omit<RecordedEvent, "name" | "data"> = {}): RecordedEvent => ({
  name: type,
  data: JSON.stringify({ type, sequence_number: 0, ...rest }),
  ...more,
});
const responseOf = (status: string, output: readonly object[], usage: object | null): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  status,
  error: null,
  incomplete_details: null,
  model: "m",
  output,
  usage,
});
const sentItem = (text: string): object => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});
const sentCall = { id: "fc_1", type: "function_call", status: "completed", call_id: "t1", name: "weather", arguments: '{"city":"Oslo"}' };
const responsesDelta = (index: number, type: string, delta: string): RecordedEvent =>
  responsesEvent(type, { item_id: index === 0 ? "msg_1" : "fc_1", output_index: index, content_index: 0, delta }, { says: delta });
const RESPONSES_USAGE = { input_tokens: 31, output_tokens: 17, total_tokens: 48 };

/** OpenAI's Responses API, which the gateway relays to clients of the same API. */
export const RESPONSES_API: RecordedResponse = {
  stream: [
    responsesEvent("response.created", { response: responseOf("in_progress", [], null) }),
    responsesEvent("response.in_progress", { response: responseOf("in_progress", [], null) }),
    responsesEvent("response.output_item.added", { output_index: 0, item: { ...sentItem(""), status: "in_progress", content: [] } }),
    responsesDelta(0, "response.output_text.delta", "Grüße, 漢字"),
    responsesDelta(0, "response.output_text.delta", " 🙂\n\n"),
    responsesEvent("response.output_item.done", { output_index: 0, item: sentItem("Grüße, 漢字 🙂\n\n") }),
    responsesEvent(
      "response.output_item.added",
      { output_index: 1, item: { ...sentCall, status: "in_progress", arguments: "" } },
      { says: "weather" },
    ),
    responsesDelta(1, "response.function_call_arguments.delta", '{"city":'),
    responsesDelta(1, "response.function_call_arguments.delta", '"Oslo"}'),
    responsesEvent("response.output_item.done", { output_index: 1, item: sentCall }),
    responsesEvent(
      "response.completed",
      { response: responseOf("completed", [sentItem("Grüße, 漢字 🙂\n\n"), sentCall], RESPONSES_USAGE) },
      { counts: [31, 17], finishes: true, ends: true },
    ),
  ].map((event, at) => ({ ...event, data: event.data.replace('"sequence_number":0', `"sequence_number":${at}`) })),
  json: JSON.stringify(responseOf("completed", [sentItem("Grüße, 漢字 🙂")], RESPONSES_USAGE)),
};

export const RECORDED_RESPONSES: Record<RecordedDialect, RecordedResponse> = { openai, anthropic, gemini, bedrock };

/** An event on the wire: the bytes before its data, the data, and the bytes after it. A frame is valid only if it is complete. */
export function piecesOf({ name, data }: Pick<RecordedEvent, "name" | "data">, isBinary = false): readonly [Buffer, Buffer, Buffer] {
  if (isBinary) return [Buffer.alloc(0), rawEventFrame(name ?? "messageStart", data), Buffer.alloc(0)];
  return [Buffer.from(`${name === undefined ? "" : `event: ${name}\n`}data: `), Buffer.from(data), Buffer.from("\n\n")];
}

/** The framing of a body: content-length, chunked, or the end of the connection. */
export type Framing = "announced" | "parts" | "closing";

/** A body on the wire, with the offsets of its events. */
export interface FramedBody {
  readonly head: string;
  readonly bytes: Buffer;
  readonly places: readonly Place[];
}

export interface Place {
  /** The start and the end of the data, and the end of the blank line after it. */
  readonly dataStart: number;
  readonly dataEnd: number;
  readonly end: number;
}

const HEADERS: Record<Framing, (length: number) => string> = {
  announced: (length) => `content-length: ${length}`,
  parts: () => "transfer-encoding: chunked",
  closing: () => "connection: close",
};

/** A stream on the wire: in chunked framing, each event is an HTTP chunk. */
export function frameStream({ stream, isBinary }: RecordedResponse, framing: Framing): FramedBody {
  const pieces: Buffer[] = [];
  const places: Place[] = [];
  let length = 0;
  const add = (piece: string | Buffer): number => (length += pieces[pieces.push(Buffer.from(piece)) - 1]!.length);
  for (const event of stream) {
    const [front, data, behind] = piecesOf(event, isBinary);
    if (framing === "parts") add(`${(front.length + data.length + behind.length).toString(16)}\r\n`);
    places.push({ dataStart: add(front), dataEnd: add(data), end: add(behind) });
    if (framing === "parts") add("\r\n");
  }
  if (framing === "parts") add("0\r\n\r\n");
  const type = isBinary ? "application/vnd.amazon.eventstream" : "text/event-stream";
  return { head: headOf(type, framing, length), bytes: Buffer.concat(pieces), places };
}

/** A JSON response on the wire, in two HTTP chunks in chunked framing. */
export function frameJson(json: string, framing: Framing): FramedBody {
  const text = Buffer.from(json);
  const head = headOf("application/json", framing, text.length);
  if (framing !== "parts") return { head, bytes: text, places: [] };
  const middle = Math.floor(text.length / 2);
  const parts = [text.subarray(0, middle), text.subarray(middle), Buffer.alloc(0)].map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]),
  );
  return { head, bytes: Buffer.concat(parts), places: [] };
}

function headOf(type: string, framing: Framing, length: number): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${HEADERS[framing](length)}\r\n\r\n`;
}
