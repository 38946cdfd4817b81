import { truncate } from "../lib/text/truncate.ts";

/** As much as is kept of a request, and of a reply, in bytes of UTF-8. */
export const MAX_KEPT_BYTES = 64 * 1024;

/** Held is a little more than is kept, so that a secret which the cut would split is still seen whole. In characters, of a byte or more. */
const MAX_HELD_CHARS = MAX_KEPT_BYTES + 1024;
const BYTES_A_CHAR = 2;

/**
 * What is said in a request, of an account that wants it kept, gathered as it goes by. No more is held than will be kept: the rest of
 * a long answer costs nothing.
 */
export class CapturedBodies {
  readonly request: string;
  #isRequestCut: boolean;
  #isReplyCut = false;
  #pieces: string[] = [];
  #chars = 0;
  #isSealed = false;

  constructor(request: string) {
    this.#isRequestCut = request.length > MAX_HELD_CHARS;
    this.request = truncate(request, MAX_HELD_CHARS);
  }

  /** Takes a piece of the reply: all of a JSON one, or the data of an event. */
  hear(piece: string): void {
    if (this.#isReplyCut || this.#isSealed) return;
    const room = MAX_HELD_CHARS - this.#chars;
    this.#isReplyCut = piece.length > room;
    const taken = truncate(piece, room);
    this.#pieces.push(taken);
    this.#chars += taken.length;
  }

  /** The reply so far, an event in a line; null where there was none. */
  get reply(): string | null {
    return this.#pieces.length === 0 ? null : this.#pieces.join("\n");
  }

  /** What comes from now on is not heard, and what is held does not change any more. The pieces may be views of what they came in, and are let go of for a text of their own. */
  seal(): void {
    this.#isSealed = true;
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("\n")];
  }

  /** Whether either is longer than what is held of it. */
  get isCut(): boolean {
    return this.#isRequestCut || this.#isReplyCut;
  }

  /** What this takes in memory, at most. */
  get heldBytes(): number {
    return (this.request.length + this.#chars) * BYTES_A_CHAR;
  }
}

/** A text cut at so many bytes of UTF-8, between two characters. */
export function cutAtBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
