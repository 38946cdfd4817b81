/**
 * A model provider in its own process, which outlives the gateway. It logs the requests that it has received and the tokens that it has
 * generated. The length and speed of a response follow from the marker that the client sent in `user`.
 *
 * A model named `…slow…` takes one to three seconds for a stream. A model named `…counted` sends its token counts so far with every chunk;
 * other models send them only at the end. GET /calls returns the log.
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
  readonly user: string;
  readonly stream?: boolean;
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
function piecesFor({ user, model }: Ask): Piece[] {
  const random = seededRandom(`answer ${user}`);
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

async function answerWhole(call: UpstreamCall, pieces: readonly Piece[], gone: AbortSignal): Promise<Response> {
  for (const { afterMs, tokens } of pieces) {
    await Bun.sleep(afterMs);
    if (gone.aborted) return new Response();
    call.generated += tokens;
  }
  const content = pieces.map(({ text }) => text).join("");
  call.wholeText = Bun.hash(content).toString(16);
  const message = { role: "assistant", content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return Response.json({ ...HEAD, object: "chat.completion", choices, usage: usageOf(call) });
}

function chunk(delta: object, finishReason: string | null, usage: object | null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices, usage });
}

/** Every event is counted before it is sent: no client can have received more than is logged. */
async function* eventsOf(call: UpstreamCall, pieces: readonly Piece[], isCounted: boolean): AsyncGenerator<string, void, undefined> {
  const usage = (): object | null => (isCounted ? usageOf(call) : null);
  yield chunk({ role: "assistant", content: "" }, null, usage());
  for (const { afterMs, tokens, text } of pieces) {
    await Bun.sleep(afterMs);
    call.generated += tokens;
    yield chunk({ content: text }, null, usage());
  }
  yield chunk({}, "stop", usage());
  yield JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices: [], usage: usageOf(call) });
  call.wholeText = Bun.hash(pieces.map(({ text }) => text).join("")).toString(16);
  yield "[DONE]";
}

function answerInEvents(call: UpstreamCall, pieces: readonly Piece[], isCounted: boolean, gone: AbortSignal): Response {
  const events = eventsOf(call, pieces, isCounted);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = gone.aborted ? {} : await events.next();
        if (value !== undefined) controller.enqueue(utf8.encode(`data: ${value}\n\n`));
        else if (!gone.aborted) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  routes: {
    "/calls": () => Response.json(calls),
    "/v1/chat/completions": {
      async POST(request) {
        const text = await request.text();
        const ask = JSON.parse(text) as Ask;
        const promptTokens = Math.ceil(text.length / 3);
        const cachedTokens = Math.floor(promptTokens / 10);
        const call = { marker: ask.user, atMs: Date.now(), promptTokens, cachedTokens, generated: 0, wholeText: null, aborted: false };
        calls.push(call);
        request.signal.addEventListener("abort", () => (call.aborted = true));
        const pieces = piecesFor(ask);
        if (!ask.stream) return answerWhole(call, pieces, request.signal);
        return answerInEvents(call, pieces, ask.model.endsWith("counted"), request.signal);
      },
    },
  },
});

process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
