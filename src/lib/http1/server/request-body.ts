import { CallerGone } from "../../async/caller-gone.ts";
import { BadChunks, ChunkedBody } from "../chunked-body.ts";
import type { BodyMemory } from "./body-memory.ts";
import { BodiesOverBudget, BodyTooLarge, UploadsOverShare, UploadTooSlow } from "./incoming-request.ts";
import type { Framing } from "./request-head.ts";

/** The maximum received before the body is read by a handler; beyond it the socket is paused. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** A request body while it is received: buffered for its reader, or dropped if it will have no reader. */
export class RequestBody {
  readonly #chunked: ChunkedBody | undefined;
  #left: number;
  readonly #budget: BodyMemory;
  /** Bytes counted against the memory budget: all buffered bytes, even after a reader has taken them. */
  #countedBytes = 0;
  /** The account whose share the body counts against, from authentication until the body is received completely. */
  #account: string | undefined;
  readonly #buffer: ReceiveBuffer;
  #maxBytes = Number.POSITIVE_INFINITY;
  #isDropped = false;
  /** Why the rest of the body will never be received. */
  #failure: Error | undefined;
  /** Why there was no memory for the body. The end of the body is still found, so the connection stays usable. */
  #overload: Error | undefined;
  #reader: PromiseWithResolvers<Buffer> | undefined;

  constructor(framing: Framing, budget: BodyMemory) {
    this.#chunked = framing === "chunked" ? new ChunkedBody() : undefined;
    this.#left = framing === "chunked" ? 0 : framing;
    this.#buffer = new ReceiveBuffer(framing === "chunked" ? Number.POSITIVE_INFINITY : framing);
    this.#budget = budget;
  }

  /** Whether the body was received completely. */
  get isEnded(): boolean {
    return this.#chunked ? this.#chunked.isComplete : this.#left === 0;
  }

  /** Whether the socket must be paused, because too many bytes are unread. */
  get isFull(): boolean {
    return !this.#reader && !this.#isDropped && this.#buffer.length > MAX_UNREAD_BYTES;
  }

  /** Whether the end of the body cannot be found, or the rest will not be received. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /** Consumes the bytes that belong to the body, and returns their number. */
  feed(bytes: Buffer): number {
    if (this.#failure) return bytes.length;
    const taken = this.#chunked ? this.#feedChunked(bytes, this.#chunked) : this.#feedFixed(bytes);
    if (this.isEnded) this.#complete();
    return taken;
  }

  /** Counts the body against the account's share of unfinished uploads, unless it was received completely. */
  countFor(account: string): void {
    if (this.isEnded || this.#isDropped) return;
    this.#releaseShare();
    if (!this.#budget.uploads.hasRoom(account, this.#countedBytes, 0)) return this.#rejectOverShare();
    this.#budget.uploads.add(account, this.#countedBytes);
    this.#account = account;
  }

  /** The complete body, once it has been received. */
  read(maxBytes: number): Promise<Buffer> | Buffer {
    if (this.#failure) throw this.#failure;
    if (this.#overload) throw this.#overload;
    if (this.#buffer.length + this.#left > maxBytes) {
      this.drop();
      throw new BodyTooLarge();
    }
    if (this.isEnded) return this.#buffer.take();
    this.#maxBytes = maxBytes;
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  /** Drops the rest. It still has to be received before the next request. */
  drop(): void {
    this.#isDropped = true;
    if (this.#buffer.length === 0) return;
    this.#buffer.take();
    this.release();
  }

  /** Releases the memory of the body when no step needs it any more. */
  release(): void {
    this.#releaseShare();
    this.#budget.release(this.#countedBytes);
    this.#countedBytes = 0;
  }

  /** Called when the upload timed out. */
  expire(seconds: number): void {
    this.#budget.noteRejected("deadline");
    this.fail(new UploadTooSlow(seconds));
  }

  /** Called when the rest of the body will not be received. */
  fail(failure: Error = new CallerGone()): void {
    if (this.isEnded) return;
    this.#failure ??= failure;
    this.#reader?.reject(failure);
  }

  /** Resolves the reader. The promise is dropped, because it would keep the body in memory until the reply is written. */
  #complete(): void {
    this.#releaseShare();
    const reader = this.#reader;
    if (!reader) return;
    this.#reader = undefined;
    reader.resolve(this.#buffer.take());
  }

  #feedChunked(bytes: Buffer, chunked: ChunkedBody): number {
    try {
      chunked.parse(bytes, 0);
    } catch (error) {
      if (!(error instanceof BadChunks)) throw error;
      this.fail(error);
      return bytes.length;
    }
    if (chunked.end > chunked.start) this.#store(bytes.subarray(chunked.start, chunked.end));
    return bytes.length - chunked.excess;
  }

  #feedFixed(bytes: Buffer): number {
    const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= piece.length;
    if (piece.length > 0) this.#store(piece);
    return piece.length;
  }

  #store(piece: Buffer): void {
    if (this.#isDropped) return;
    if (!this.#hasShare(piece.length)) return this.#rejectOverShare();
    if (!this.#budget.take(piece.length, this.#countedBytes + piece.length)) return this.#rejectOverBudget();
    if (this.#account !== undefined) this.#budget.uploads.add(this.#account, piece.length);
    this.#countedBytes += piece.length;
    this.#buffer.add(piece);
    if (this.#buffer.length <= this.#maxBytes) return;
    this.drop();
    this.#reader!.reject(new BodyTooLarge());
  }

  #rejectOverBudget(): void {
    this.#budget.noteRejected("budget");
    this.#reject(new BodiesOverBudget());
  }

  #rejectOverShare(): void {
    this.#budget.noteRejected("account_share");
    this.#reject(new UploadsOverShare());
  }

  #reject(overload: Error): void {
    this.#overload = overload;
    this.drop();
    this.#reader?.reject(overload);
  }

  #hasShare(bytes: number): boolean {
    return this.#account === undefined || this.#budget.uploads.hasRoom(this.#account, bytes, this.#countedBytes);
  }

  #releaseShare(): void {
    if (this.#account === undefined) return;
    this.#budget.uploads.release(this.#account, this.#countedBytes);
    this.#account = undefined;
  }
}

const EMPTY = Buffer.alloc(0);

/**
 * The received bytes of a body in one contiguous buffer. A list of chunks would be simpler, but each byte of a client that sends single
 * bytes would cost a hundred bytes of memory.
 */
class ReceiveBuffer {
  /** The announced length: the buffer never grows beyond it. */
  readonly #maxLength: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    // Most bodies arrive in one chunk, which is used without a copy.
    if (this.#length === 0) this.#bytes = chunk;
    else this.#append(chunk);
    this.#length += chunk.length;
  }

  /** Returns all bytes, and empties the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return bytes;
  }

  #append(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(needed * 2, this.#maxLength));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
  }
}
