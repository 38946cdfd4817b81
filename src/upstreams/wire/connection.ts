import type { Place } from "./place.ts";

/** Whoever has the use of a connection, and hears what comes over it. */
export interface Listener {
  heard(bytes: Buffer): void;
  /** It is closed, by an error where there is one. Nothing else is heard after it. */
  closed(error: unknown): void;
}

/** What fits into few packets is copied into one write: two would be two packets, and two calls of the system. */
const TOGETHER_CHARS = 64 * 1024;

/** An open connection. It carries one request at a time. */
export class Connection {
  readonly place: Place;
  /** When it has to be closed if nobody has used it, by what the server said. */
  usableUntilMs = Number.POSITIVE_INFINITY;
  keptAtMs = 0;
  readonly #socket: Bun.Socket<unknown>;
  #listener: Listener | undefined;
  /** What the system had no room for yet. */
  #unsent: Uint8Array[] = [];
  #isOpen = true;
  #isPaused = false;
  #isResting = false;

  constructor(place: Place, socket: Bun.Socket<unknown>) {
    this.place = place;
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a request. Says whether it could be begun: nothing is sent on a connection that is closed. */
  send(head: string, body: string | Uint8Array | undefined, bodyBytes: number, listener: Listener): boolean {
    this.#listener = listener;
    if (body === undefined) return this.#begin(head, head.length);
    if (typeof body === "string" && body.length <= TOGETHER_CHARS) return this.#begin(head + body, head.length + bodyBytes);
    return this.#begin(head, head.length) && this.#write(body, bodyBytes);
  }

  #begin(text: string, size: number): boolean {
    return this.#isOpen && this.#write(text, size);
  }

  #write(data: string | Uint8Array, size: number): boolean {
    const isFirst = this.#unsent.length === 0;
    const written = isFirst ? this.#socket.write(data) : 0;
    if (written < 0) return false;
    if (written === size) return true;
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    this.#unsent.push(bytes.subarray(written));
    return true;
  }

  drained(): void {
    for (let next = this.#unsent[0]; next !== undefined; next = this.#unsent[0]) {
      const written = this.#socket.write(next);
      if (written < 0) return;
      if (written < next.length) {
        this.#unsent[0] = next.subarray(written);
        return;
      }
      this.#unsent.shift();
    }
  }

  heard(bytes: Buffer): void {
    if (this.#listener) this.#listener.heard(bytes);
    // Nobody has asked: whatever it is, it must not be taken for the next reply.
    else this.breakOff();
  }

  /** What comes from now on stays with the system, and the other side has to wait. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  /** The reply is whole. The connection is kept for so long, if it is fit for another request. */
  release(keptForMs: number): void {
    this.#listener = undefined;
    this.resume();
    if (keptForMs > 0 && this.#unsent.length === 0) this.place.keep(this, keptForMs);
    else this.close();
  }

  /** It is only kept: that must not keep a command from ending. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#socket.unref();
  }

  /** Whoever waits for a reply must not be left alone: Bun does not even look at sockets where nothing keeps it from ending. */
  wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#socket.ref();
  }

  /** Closes it in an orderly way. */
  close(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#socket.end();
  }

  /** Ends it at once: the other side is told by a reset, also where it is still writing. */
  breakOff(): void {
    if (!this.#isOpen) return;
    this.#end();
    this.#socket.terminate();
  }

  #end(): void {
    this.#listener = undefined;
    this.#unsent = [];
    this.#isOpen = false;
    this.place.forget(this);
  }

  /** The other side has closed it. */
  closed(error: unknown): void {
    const listener = this.#listener;
    this.#end();
    listener?.closed(error);
  }
}
