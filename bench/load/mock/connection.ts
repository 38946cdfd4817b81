import type { Socket } from "bun";
import { ChunkedReader } from "../chunked.ts";
import { answer, type Question } from "./answer.ts";
import { counters } from "./counters.ts";
import type { OpenStream } from "./open-stream.ts";

const HEAD_END = "\r\n\r\n";
const NOTHING: Buffer = Buffer.alloc(0);

/** A connection of a client, with one request after the other, each in any number of pieces. */
export class MockConnection {
  readonly #socket: Socket<unknown>;
  #head: string | undefined;
  #received = NOTHING;
  #length = 0;
  #chunked: ChunkedReader | undefined;
  #stream: OpenStream | undefined;

  constructor(socket: Socket<unknown>) {
    this.#socket = socket;
    counters.connections++;
  }

  take(bytes: Buffer): void {
    if (this.#head === undefined) return this.#takeHead(this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]));
    this.#takeBody(bytes);
  }

  drain(): void {
    if (this.#stream?.isOpen) this.#stream.pump();
  }

  close(): void {
    counters.connections--;
    this.#stream?.abort();
  }

  #takeHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END);
    this.#received = bytes;
    if (end < 0) return;
    const head = bytes.toString("latin1", 0, end);
    this.#head = head;
    this.#received = NOTHING;
    this.#length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#chunked = /\r\ntransfer-encoding: *chunked/i.test(head) ? new ChunkedReader() : undefined;
    this.#takeBody(bytes.subarray(end + HEAD_END.length));
  }

  #takeBody(bytes: Buffer): void {
    if (this.#chunked) this.#chunked.take(bytes, (data) => this.#keep(data));
    else this.#keep(bytes);
    if (this.#chunked ? this.#chunked.isDone : this.#received.length >= this.#length) this.#answer();
  }

  #keep(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
  }

  #answer(): void {
    const [method = "", path = ""] = this.#head!.split(" ", 2);
    const question: Question = { method, path, body: this.#received };
    this.#head = undefined;
    this.#received = NOTHING;
    this.#stream = answer(this.#socket, question);
  }
}
