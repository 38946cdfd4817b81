import { CallerGone } from "../../async/caller-gone.ts";
import { BadChunks, ChunkedBody } from "../chunked-body.ts";
import type { BodyMemory } from "./body-memory.ts";
import { BodiesOverBudget, BodyTooLarge, UploadsOverShare, UploadTooSlow } from "./incoming-request.ts";
import { ReceiveBuffer } from "./receive-buffer.ts";
import type { Framing } from "./request-head.ts";

/** What may come before anybody asks for it: the rest waits with the caller. */
const MAX_UNASKED_BYTES = 256 * 1024;

/** The body of a request while it comes. It is kept from when somebody asks for it, and dropped where nobody will. */
export class RequestBody {
  readonly #chunked: ChunkedBody | undefined;
  #left: number;
  readonly #budget: BodyMemory;
  /** What of the budget it has: all that was kept, also where a step has taken it since. */
  #countedBytes = 0;
  /** The account whose share counts it, from when that is known until it is received to its end. */
  #account: string | undefined;
  readonly #kept: ReceiveBuffer;
  #maxBytes = Number.POSITIVE_INFINITY;
  #isDropped = false;
  /** Why the rest of it will never be known. */
  #trouble: Error | undefined;
  /** Why there was no memory for it. Where it ends is known all the same. */
  #overload: Error | undefined;
  #asked: PromiseWithResolvers<Buffer> | undefined;

  constructor(framing: Framing, budget: BodyMemory) {
    this.#chunked = framing === "chunked" ? new ChunkedBody() : undefined;
    this.#left = framing === "chunked" ? 0 : framing;
    this.#kept = new ReceiveBuffer(framing === "chunked" ? Number.POSITIVE_INFINITY : framing);
    this.#budget = budget;
  }

  /** Whether all of it has come. */
  get isEnded(): boolean {
    return this.#chunked ? this.#chunked.isWhole : this.#left === 0;
  }

  /** Whether more has come than is taken in for somebody who may not want it. */
  get isFull(): boolean {
    return !this.#asked && !this.#isDropped && this.#kept.length > MAX_UNASKED_BYTES;
  }

  /** Whether it cannot be told where it ends, or the rest will not come. */
  get isBroken(): boolean {
    return this.#trouble !== undefined;
  }

  /** Takes in what belongs to it, and says how much that was. */
  feed(bytes: Buffer): number {
    if (this.#trouble) return bytes.length;
    const taken = this.#chunked ? this.#feedParts(bytes, this.#chunked) : this.#feedLength(bytes);
    if (this.isEnded) this.#giveWhole();
    return taken;
  }

  /** It is an upload of this account, unless all of it has come. */
  countFor(account: string): void {
    if (this.isEnded || this.#isDropped) return;
    this.#leaveShare();
    if (!this.#budget.uploads.hasRoom(account, this.#countedBytes, 0)) return this.#rejectOverShare();
    this.#budget.uploads.add(account, this.#countedBytes);
    this.#account = account;
  }

  /** The whole body, when it is there. */
  read(maxBytes: number): Promise<Buffer> | Buffer {
    if (this.#trouble) throw this.#trouble;
    if (this.#overload) throw this.#overload;
    if (this.#kept.length + this.#left > maxBytes) {
      this.drop();
      throw new BodyTooLarge();
    }
    if (this.isEnded) return this.#kept.take();
    this.#maxBytes = maxBytes;
    this.#asked = Promise.withResolvers();
    return this.#asked.promise;
  }

  /** Nobody wants the rest. It still has to come before the next request can. */
  drop(): void {
    this.#isDropped = true;
    if (this.#kept.length === 0) return;
    this.#kept.take();
    this.release();
  }

  /** No step uses it any more. */
  release(): void {
    this.#leaveShare();
    this.#budget.release(this.#countedBytes);
    this.#countedBytes = 0;
  }

  /** It was not received within so many seconds. */
  expire(seconds: number): void {
    this.#budget.noteRejected("deadline");
    this.breakOff(new UploadTooSlow(seconds));
  }

  /** The rest will not come. */
  breakOff(trouble: Error = new CallerGone()): void {
    if (this.isEnded) return;
    this.#trouble ??= trouble;
    this.#asked?.reject(trouble);
  }

  /** The promise would keep it for as long as the reply takes. */
  #giveWhole(): void {
    this.#leaveShare();
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = undefined;
    asked.resolve(this.#kept.take());
  }

  #feedParts(bytes: Buffer, chunked: ChunkedBody): number {
    try {
      chunked.cut(bytes, 0);
    } catch (error) {
      if (!(error instanceof BadChunks)) throw error;
      this.breakOff(error);
      return bytes.length;
    }
    if (chunked.end > chunked.start) this.#keep(bytes.subarray(chunked.start, chunked.end));
    return bytes.length - chunked.excess;
  }

  #feedLength(bytes: Buffer): number {
    const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= piece.length;
    if (piece.length > 0) this.#keep(piece);
    return piece.length;
  }

  #keep(piece: Buffer): void {
    if (this.#isDropped) return;
    if (!this.#hasShare(piece.length)) return this.#rejectOverShare();
    if (!this.#budget.take(piece.length, this.#countedBytes + piece.length)) return this.#rejectOverBudget();
    if (this.#account !== undefined) this.#budget.uploads.add(this.#account, piece.length);
    this.#countedBytes += piece.length;
    this.#kept.add(piece);
    if (this.#kept.length <= this.#maxBytes) return;
    this.drop();
    this.#asked!.reject(new BodyTooLarge());
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
    this.#asked?.reject(overload);
  }

  #hasShare(bytes: number): boolean {
    return this.#account === undefined || this.#budget.uploads.hasRoom(this.#account, bytes, this.#countedBytes);
  }

  #leaveShare(): void {
    if (this.#account === undefined) return;
    this.#budget.uploads.release(this.#account, this.#countedBytes);
    this.#account = undefined;
  }
}
