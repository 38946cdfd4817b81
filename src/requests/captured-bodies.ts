import { truncate } from "../lib/text/truncate.ts";
import type { ClientIdentities } from "./client-identities.ts";

/** The most that is stored of a request, and of a response, in bytes of UTF-8. */
export const MAX_STORED_BYTES = 64 * 1024;

/** A little more is captured than stored, so that a secret at the cut is still redacted as a whole. In characters, of a byte or more. */
const MAX_CAPTURED_CHARS = MAX_STORED_BYTES + 1024;
/** The memory of a text, at most. */
export const BYTES_PER_CHAR = 2;

/**
 * Prompt and response logging: the bodies of one request, captured while they pass, for accounts that have it on. The rest of a long
 * response is not held.
 */
export class CapturedBodies {
  readonly request: string;
  /** Of the end user and the conversation, where the account does not store their names: they are hidden before bodies are stored. */
  readonly identities: ClientIdentities | undefined;
  #isRequestCut: boolean;
  #isReplyCut = false;
  #pieces: string[] = [];
  #chars = 0;
  #isSealed = false;

  constructor(request: string, identities?: ClientIdentities) {
    this.identities = identities;
    this.#isRequestCut = request.length > MAX_CAPTURED_CHARS;
    this.request = truncate(request, MAX_CAPTURED_CHARS);
  }

  /** Captures a piece of the response: all of a JSON one, or the data of an event. */
  capture(piece: string): void {
    if (this.#isReplyCut || this.#isSealed) return;
    const remaining = MAX_CAPTURED_CHARS - this.#chars;
    this.#isReplyCut = piece.length > remaining;
    const taken = truncate(piece, remaining);
    this.#pieces.push(taken);
    this.#chars += taken.length;
  }

  /** The response so far, one event per line; null where there was none. */
  get reply(): string | null {
    return this.#pieces.length === 0 ? null : this.#pieces.join("\n");
  }

  /** Captures nothing from now on. The pieces may be views of larger buffers, and are joined into one copy, so that those can be freed. */
  seal(): void {
    this.#isSealed = true;
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("\n")];
  }

  /** Whether either was truncated. */
  get isCut(): boolean {
    return this.#isRequestCut || this.#isReplyCut;
  }

  /** The memory that this takes, at most. */
  get heldBytes(): number {
    return (this.request.length + this.#chars) * BYTES_PER_CHAR;
  }
}

/** A text truncated to this many bytes of UTF-8, between two characters. */
export function cutAtBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}
