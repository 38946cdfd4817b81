/** A stream that is determined by its seed: the upstream sends it, and the test knows what must arrive. */
export interface SeededStream {
  /** The events with output, without the closing events. */
  readonly text: readonly string[];
  readonly finish: string;
  readonly usage: string;
}

/** Numbers from 0 up to 1 that look random and are the same for the same seed. */
export function seededRandom(seed: string): () => number {
  let state = Bun.hash.crc32(seed);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Characters of one to four bytes, characters that JSON escapes, and characters that naive line readers mistake for line breaks. */
const PIECES = ["a", "the ", "ß", "é", "漢字", "Ω", "🙂", "👩‍👩‍👧", '"', "\\", "\n", "\r\n", "\u2028", "\u0085", "data: ", "[DONE]", "}{"];

/** The stream of a seed with this model name: an upstream sends its own name, a gateway the public one. */
export function seededStream(seed: string, model: string): SeededStream {
  const random = seededRandom(seed);
  const text = Array.from({ length: 10 + Math.floor(random() * 20) }, () => chunkOf(seed, model, { content: words(random) }, null));
  return {
    text: [chunkOf(seed, model, { role: "assistant", content: "" }, null), ...text],
    finish: chunkOf(seed, model, {}, "stop"),
    usage: `${headOf(seed, model)}, "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": ${text.length}, "total_tokens": ${5 + text.length}}}`,
  };
}

/** The bytes that a client of the gateway must receive for a seed. */
export function expectedAtCaller(seed: string, model: string, includeUsage: boolean): Buffer {
  const { text, finish, usage } = seededStream(seed, model);
  const events = [...text, finish, ...(includeUsage ? [usage] : []), "[DONE]"];
  return Buffer.from(events.map((event) => `data: ${event}\n\n`).join(""));
}

/** Bytes split at arbitrary positions: inside events, lines and characters. */
export function cutAnywhere(bytes: Uint8Array, random: () => number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = random() < 0.1 ? 1 + Math.floor(random() * 3) : 1 + Math.floor(random() * 1200);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** A few words, or many. */
export function words(random: () => number): string {
  return Array.from({ length: 1 + Math.floor(random() ** 3 * 60) }, () => PIECES[Math.floor(random() * PIECES.length)]).join("");
}

/** With spaces, as Python servers write them, which JSON.stringify does not write: a rebuilt chunk would differ. */
function chunkOf(seed: string, model: string, delta: object, finishReason: string | null): string {
  const choice = `{"index": 0, "delta": ${JSON.stringify(delta)}, "logprobs": null, "finish_reason": ${JSON.stringify(finishReason)}}`;
  return `${headOf(seed, model)}, "choices": [${choice}], "usage": null}`;
}

function headOf(seed: string, model: string): string {
  const names = `"id": ${JSON.stringify(`chatcmpl-${seed}`)}, "object": "chat.completion.chunk"`;
  return `{${names}, "created": 1700000000, "model": ${JSON.stringify(model)}, "x_price": 1.50e0`;
}
