import { seededRandom, words } from "../streams/seeded-stream.ts";

/** How an upstream counts: with running token counts on every chunk, or once, behind the last. */
export type Counting = "every" | "end";

/** What happens to a stream; the upstream, the clients and the test derive it from the request. */
export type Manner =
  /** The upstream stalls in the middle, and the client disconnects. */
  | "left"
  /** The upstream closes the connection mid-stream. */
  | "broken"
  /** The upstream sends no chunk, and the client disconnects. */
  | "thinking"
  /** The upstream sends all but `[DONE]`, and the client disconnects. */
  | "undone"
  /** The upstream responds after a short delay, and the client disconnects after another. */
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
  /** Tokens, and bytes of text, generated up to and including it. */
  readonly tokens: number;
  readonly textBytes: number;
}

export interface CutPlan {
  readonly promptTokens: number;
  /** The chunks with text, the role before them. */
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

/** After how many chunks the upstream stalls. */
export function silentAfter(seed: string, { chunks }: CutPlan): number {
  return 1 + Math.floor(seededRandom(`silent ${seed}`)() * chunks.length);
}

/** What an upstream has recorded of a stream when it has ended. */
export interface Truth {
  /** Chunks that it has sent completely, including the blank line. */
  chunks: number;
  /** The same, had the blank line not been cut off. */
  chunksButForTheirEnd: number;
  /**
   * A close that is the only end its body could have (`closed`) is orderly: all that was sent before it arrives. One in the
   * middle of a chunked body (`closed-early`) is a failure of the connection to its reader, just as a reset is.
   */
  end: "open" | "aborted" | "closed" | "closed-early" | "reset" | "whole";
}

function eventOf(seed: string, more: object): string {
  return JSON.stringify({ id: `chatcmpl-${seed}`, object: "chat.completion.chunk", created: 1_700_000_000, model: "up", ...more });
}
