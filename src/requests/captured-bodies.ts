import { truncate } from "../lib/text/truncate.ts";
import type { ClientIdentities } from "./client-identities.ts";

/** The most bytes of UTF-8 that are stored for a request, and the same for a response. */
export const MAX_STORED_BYTES = 64 * 1024;

/**
 * A little more is captured than stored, so that a secret at the cut is still redacted as a whole. In characters, each of one byte or more.
 */
const MAX_CAPTURED_CHARS = MAX_STORED_BYTES + 1024;
/** The most memory that a character of a text takes. */
export const BYTES_PER_CHAR = 2;

/**
 * Prompt and response logging: the bodies of one request, captured while they pass, for accounts that have it on. The rest of a long
 * response is discarded.
 */
export class CapturedBodies {
  readonly request: string;
  /** The names of the end user and the conversation, if the account does not store them: they are replaced before bodies are stored. */
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

  /** Captures a piece of the response: a whole JSON response, or the data of an event. */
  capture(piece: string): void {
    if (this.#isReplyCut || this.#isSealed) return;
    const remaining = MAX_CAPTURED_CHARS - this.#chars;
    this.#isReplyCut = piece.length > remaining;
    const taken = truncate(piece, remaining);
    this.#pieces.push(taken);
    this.#chars += taken.length;
  }

  /** The response so far, one event per line; null if there was none. */
  get reply(): string | null {
    return this.#pieces.length === 0 ? null : this.#pieces.join("\n");
  }

  /** Stops capturing. The pieces may be views of larger buffers, and are joined into one copy, so that the buffers can be freed. */
  seal(): void {
    this.#isSealed = true;
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join("\n")];
  }

  /** Whether either was truncated. */
  get isCut(): boolean {
    return this.#isRequestCut || this.#isReplyCut;
  }

  /** The most memory that the captured bodies take. */
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
