/**
 * A model provider in its own process, which outlives the gateway. It logs the requests that it has received and the tokens that it has
 * generated, in three APIs. The length and speed of a response follow from the marker in the prompt.
 *
 * A model named `…slow…` takes one to three seconds for a stream. A model named `…counted` sends its token counts so far with every chunk,
 * except in the Responses API; other models send them only at the end. GET /calls returns the log.
 */
import { seededRandom } from "../streams/seeded-stream.ts";

/** One call, as the upstream recorded it. */
export interface UpstreamCall {
  readonly marker: string;
  readonly atMs: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Tokens generated until the response ended or was cancelled. */
  generated: number;
  /** A hash of the complete text. Null until the end has been sent. */
  wholeText: string | null;
  aborted: boolean;
}

interface Ask {
  readonly model: string;
  readonly marker: string;
}

interface Piece {
  readonly text: string;
  readonly tokens: number;
  readonly afterMs: number;
}

const HEAD = { id: "chatcmpl-truth", created: 1_700_000_000, model: "truth" };
const utf8 = new TextEncoder();
const calls: UpstreamCall[] = [];

/** Four bytes per token, so that an estimate is at most the number of generated tokens. */
function piecesFor({ marker, model }: Ask): Piece[] {
  const random = seededRandom(`answer ${marker}`);
  const isSlow = model.includes("slow");
  const totalMs = isSlow ? 1000 + random() * 2000 : random() * 120;
  const count = 3 + Math.floor(random() * 20);
  return Array.from({ length: count }, () => {
    const tokens = 1 + Math.floor(random() * 12);
    const text = Array.from({ length: tokens }, () => `${Math.floor(100 + random() * 900)} `).join("");
    return { text, tokens, afterMs: ((0.5 + random()) * totalMs) / count };
  });
}

function usageOf({ promptTokens, cachedTokens, generated }: UpstreamCall): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: generated,
    total_tokens: promptTokens + generated,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
}

/** How an API writes responses. */
interface Api {
  whole(content: string, call: UpstreamCall): object;
  /** The events before the first text, with each text, and after the last text. */
  begin(call: UpstreamCall, isCounted: boolean): readonly object[];
  say(text: string, call: UpstreamCall, isCounted: boolean): readonly object[];
  end(content: string, call: UpstreamCall, isCounted: boolean): readonly object[];
  /** An event on the wire. */
  readonly frame: (event: object) => string;
}

function chunk(delta: object, finishReason: string | null, usage: object | null): object {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return { ...HEAD, object: "chat.completion.chunk", choices, usage };
}

const chat: Api = {
  whole(content, call) {
    const message = { role: "assistant", content, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
    return { ...HEAD, object: "chat.completion", choices, usage: usageOf(call) };
  },
  begin: (call, isCounted) => [chunk({ role: "assistant", content: "" }, null, isCounted ? usageOf(call) : null)],
  say: (text, call, isCounted) => [chunk({ content: text }, null, isCounted ? usageOf(call) : null)],
  end: (_, call, isCounted) => [
    chunk({}, "stop", isCounted ? usageOf(call) : null),
    { ...HEAD, object: "chat.completion.chunk", choices: [], usage: usageOf(call) },
  ],
  frame: (event) => `data: ${JSON.stringify(event)}\n\n`,
};

const named = (event: object): string => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`;

function messagesUsageOf({ promptTokens, cachedTokens, generated }: UpstreamCall): object {
  return { input_tokens: promptTokens - cachedTokens, cache_read_input_tokens: cachedTokens, output_tokens: generated };
}

const MESSAGE = { id: "msg_truth", type: "message", role: "assistant", model: "truth", stop_sequence: null };
const messageDelta = (reason: string | null, call: UpstreamCall): object => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  usage: messagesUsageOf(call),
});

const messages: Api = {
  whole: (text, call) => ({ ...MESSAGE, content: [{ type: "text", text }], stop_reason: "end_turn", usage: messagesUsageOf(call) }),
  begin: (call) => [
    { type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null, usage: messagesUsageOf(call) } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ],
  say: (text, call, isCounted) => [
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    ...(isCounted ? [messageDelta(null, call)] : []),
  ],
  end: (_, call) => [{ type: "content_block_stop", index: 0 }, messageDelta("end_turn", call), { type: "message_stop" }],
  frame: named,
};

const textItem = (text: string): object => ({
  id: "msg_truth",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
});

function response(status: string, output: readonly object[], call?: UpstreamCall): object {
  const head = { id: "resp_truth", object: "response", created_at: HEAD.created, model: "truth", error: null, incomplete_details: null };
  if (!call) return { ...head, status, output, usage: null };
  const { promptTokens, cachedTokens, generated } = call;
  const counts = { input_tokens: promptTokens, output_tokens: generated, total_tokens: promptTokens + generated };
  return { ...head, status, output, usage: { ...counts, input_tokens_details: { cached_tokens: cachedTokens } } };
}

const TEXT_PLACE = { item_id: "msg_truth", output_index: 0, content_index: 0 };

const responses: Api = {
  whole: (text, call) => response("completed", [textItem(text)], call),
  begin: () => [
    { type: "response.created", response: response("in_progress", []) },
    { type: "response.output_item.added", output_index: 0, item: { ...textItem(""), status: "in_progress", content: [] } },
  ],
  say: (delta) => [{ type: "response.output_text.delta", ...TEXT_PLACE, delta }],
  end: (text, call) => [
    { type: "response.output_item.done", output_index: 0, item: textItem(text) },
    { type: "response.completed", response: response("completed", [textItem(text)], call) },
  ],
  frame: named,
};

async function answerWhole(api: Api, call: UpstreamCall, pieces: readonly Piece[], gone: AbortSignal): Promise<Response> {
  for (const { afterMs, tokens } of pieces) {
    await Bun.sleep(afterMs);
    if (gone.aborted) return new Response();
    call.generated += tokens;
  }
  const content = pieces.map(({ text }) => text).join("");
  call.wholeText = Bun.hash(content).toString(16);
  return Response.json(api.whole(content, call));
}

/** Every event is counted before it is sent: no client can have received more than is logged. */
async function* eventsOf(
  api: Api,
  call: UpstreamCall,
  pieces: readonly Piece[],
  isCounted: boolean,
): AsyncGenerator<string, void, undefined> {
  yield* api.begin(call, isCounted).map(api.frame);
  for (const { afterMs, tokens, text } of pieces) {
    await Bun.sleep(afterMs);
    call.generated += tokens;
    yield* api.say(text, call, isCounted).map(api.frame);
  }
  const content = pieces.map(({ text }) => text).join("");
  const [last, ...before] = api.end(content, call, isCounted).map(api.frame).toReversed();
  yield* before.toReversed();
  call.wholeText = Bun.hash(content).toString(16);
  yield api === chat ? `${last!}data: [DONE]\n\n` : last!;
}

function answerInEvents(api: Api, call: UpstreamCall, pieces: readonly Piece[], isCounted: boolean, gone: AbortSignal): Response {
  const events = eventsOf(api, call, pieces, isCounted);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = gone.aborted ? {} : await events.next();
        if (value !== undefined) controller.enqueue(utf8.encode(value));
        else if (!gone.aborted) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function serve(api: Api): { POST(request: Request): Promise<Response> } {
  return {
    async POST(request) {
      const text = await request.text();
      const { model, stream } = JSON.parse(text) as { model: string; stream?: boolean };
      const marker = /How much is ([\w-]+)\?/.exec(text)![1]!;
      const promptTokens = Math.ceil(text.length / 3);
      const cachedTokens = Math.floor(promptTokens / 10);
      const call = { marker, atMs: Date.now(), promptTokens, cachedTokens, generated: 0, wholeText: null, aborted: false };
      calls.push(call);
      request.signal.addEventListener("abort", () => (call.aborted = true));
      const pieces = piecesFor({ model, marker });
      if (stream !== true) return answerWhole(api, call, pieces, request.signal);
      return answerInEvents(api, call, pieces, model.endsWith("counted"), request.signal);
    },
  };
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  routes: {
    "/calls": () => Response.json(calls),
    "/v1/chat/completions": serve(chat),
    "/v1/messages": serve(messages),
    "/v1/responses": serve(responses),
  },
});

process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
