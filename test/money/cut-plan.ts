import { seededRandom, words } from "../streams/seeded-stream.ts";

/** How an upstream reports usage: running token counts with every chunk, or once after the last chunk. */
export type Counting = "every" | "end";

/** The course of a stream; the upstream, the clients and the test derive it from the request. */
export type Manner =
  /** The upstream stalls in the middle, and the client disconnects. */
  | "left"
  /** The upstream closes the connection mid-stream. */
  | "broken"
  /** The upstream sends no chunk, and the client disconnects. */
  | "thinking"
  /** The upstream sends all but `[DONE]`, and the client disconnects. */
  | "undone"
  /** The upstream responds after a short delay, and the client disconnects after another short delay. */
  | "late";

export interface CutRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly seed_text: string;
  readonly manner: Manner;
  readonly counting: Counting;
}

/** The body of a request. It has the same length for every seed. */
export function cutBody(request: CutRequest): string {
  return JSON.stringify({ ...request, messages: [{ role: "user", content: "Tell me a story." }], max_tokens: 1000 });
}

/** One event of a stream, with the progress of the response. */
export interface PlannedEvent {
  readonly json: string;
  /** Tokens, and bytes of text, generated up to and including this event. */
  readonly tokens: number;
  readonly textBytes: number;
}

export interface CutPlan {
  readonly promptTokens: number;
  /** The chunks with text. The chunk with the role precedes them. */
  readonly chunks: readonly PlannedEvent[];
  readonly finish: PlannedEvent;
  readonly usage: string;
}

/** The stream of a seed, as the upstream writes it. */
export function planOf(seed: string, counting: Counting): CutPlan {
  const random = seededRandom(seed);
  const promptTokens = 1 + Math.floor(random() * 60);
  const chunks: PlannedEvent[] = [];
  let [tokens, textBytes] = [0, 0];
  const countsNow = (): object => ({ prompt_tokens: promptTokens, completion_tokens: tokens, total_tokens: promptTokens + tokens });
  const event = (delta: object, finishReason: string | null): PlannedEvent => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
    return { json: eventOf(seed, { choices, usage: counting === "every" ? countsNow() : null }), tokens, textBytes };
  };
  chunks.push(event({ role: "assistant", content: "" }, null));
  for (const last = 2 + Math.floor(random() * 12); chunks.length <= last;) {
    const content = words(random);
    tokens += 1 + Math.floor(random() * 9);
    textBytes += Buffer.byteLength(content);
    chunks.push(event({ content }, null));
  }
  return { promptTokens, chunks, finish: event({}, "stop"), usage: eventOf(seed, { choices: [], usage: countsNow() }) };
}

/** The number of chunks after which the upstream stalls. */
export function silentAfter(seed: string, { chunks }: CutPlan): number {
  return 1 + Math.floor(seededRandom(`silent ${seed}`)() * chunks.length);
}

/** The upstream's record of a stream after it has ended. */
export interface Truth {
  /** The number of chunks that were sent completely, including the blank line. */
  chunks: number;
  /** The number of chunks that were sent completely, with or without the final blank line. */
  chunksButForTheirEnd: number;
  /**
   * How the stream ended. A close is orderly (`closed`) if it is the only way in which the body can end: all data sent before it arrives. A
   * close in the middle of a chunked body (`closed-early`) is a connection failure for the reader, like a reset.
   */
  end: "open" | "aborted" | "closed" | "closed-early" | "reset" | "whole";
}

function eventOf(seed: string, more: object): string {
  return JSON.stringify({ id: `chatcmpl-${seed}`, object: "chat.completion.chunk", created: 1_700_000_000, model: "up", ...more });
}
