/**
 * An upstream in a separate process that records its output. Each request selects its own course: see `Manner`. Prints the port of its
 * records; GET /truth there returns them by seed, together with the URL of the upstream.
 */
import type { Socket } from "node:net";
import { completion } from "../support/upstreams/mock-upstream.ts";
import { EVENTS_HEAD, reset, startRawUpstream, wholeReply } from "../streams/raw-upstream.ts";
import { cutAnywhere, seededRandom } from "../streams/seeded-stream.ts";
import { planOf, silentAfter, type CutPlan, type CutRequest, type Manner, type Truth } from "./cut-plan.ts";

export interface TruthLog {
  readonly baseUrl: string;
  readonly truths: Readonly<Record<string, Truth>>;
}

const CLOSE_DELIMITED_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

const truths = new Map<string, Truth>();

/** One stream, sent byte by byte where necessary. */
class Writing {
  readonly seed: string;
  readonly plan: CutPlan;
  readonly truth: Truth = { chunks: 0, chunksButForTheirEnd: 0, end: "open" };
  readonly random: () => number;
  readonly #socket: Socket;
  readonly #left = Promise.withResolvers<void>();

  constructor(socket: Socket, { seed_text: seed, counting }: CutRequest) {
    this.#socket = socket;
    this.seed = seed;
    this.plan = planOf(seed, counting);
    this.random = seededRandom(`network ${seed}`);
    truths.set(seed, this.truth);
    // A reused connection has a listener for each of its streams.
    socket.setMaxListeners(0);
    socket.once("close", () => {
      this.end("aborted");
      this.#left.resolve();
    });
  }

  end(how: Truth["end"]): void {
    if (this.truth.end === "open") this.truth.end = how;
  }

  get isOpen(): boolean {
    return this.truth.end === "open";
  }

  /** Sends events in pieces of any size, each as an HTTP chunk. */
  async send(events: readonly string[]): Promise<void> {
    for (const piece of cutAnywhere(payloadOf(events), this.random)) {
      await this.#pause();
      this.#write(toPart(piece));
    }
  }

  /** Sends the start of a reply, up to a byte. */
  async sendRaw(bytes: Uint8Array): Promise<void> {
    for (const piece of cutAnywhere(bytes, this.random)) {
      await this.#pause();
      this.#write(piece);
    }
  }

  waitUntilLeft(): Promise<void> {
    return this.#left.promise;
  }

  #write(bytes: Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  async #pause(): Promise<void> {
    if (this.random() < 0.3) await Bun.sleep(Math.floor(this.random() * 4));
  }
}

const MANNERS: Record<Manner, (writing: Writing, socket: Socket, request: CutRequest) => Promise<void>> = {
  async left(writing, socket) {
    const { chunks } = writing.plan;
    const count = silentAfter(writing.seed, writing.plan);
    socket.write(EVENTS_HEAD);
    await writing.send(chunks.slice(0, count).map(({ json }) => json));
    writing.truth.chunks = writing.truth.chunksButForTheirEnd = count;
    await writing.waitUntilLeft();
  },

  async broken(writing, socket) {
    const { random, truth } = writing;
    const sent = truncate(writing.plan, random);
    truth.chunks = sent.chunks;
    truth.chunksButForTheirEnd = sent.chunksButForTheirEnd;
    const end = random() < 0.5 ? "reset" : sent.isChunked ? "closed-early" : "closed";
    await writing.sendRaw(sent.bytes);
    if (random() < 0.5) await Bun.sleep(Math.floor(random() * 10));
    writing.end(end);
    if (end === "reset") reset(socket);
    else socket.end();
  },

  async thinking(writing, socket) {
    if (writing.random() < 0.5) socket.write(EVENTS_HEAD);
    await writing.waitUntilLeft();
  },

  async undone(writing, socket) {
    const { chunks, finish, usage } = writing.plan;
    socket.write(EVENTS_HEAD);
    await writing.send([...chunks.map(({ json }) => json), finish.json, usage]);
    writing.truth.chunks = writing.truth.chunksButForTheirEnd = chunks.length;
    await writing.waitUntilLeft();
  },

  async late(writing, socket, { stream }) {
    await Bun.sleep(writing.random() * 30);
    if (!writing.isOpen) return;
    const { chunks, finish, usage } = writing.plan;
    writing.truth.chunks = writing.truth.chunksButForTheirEnd = chunks.length;
    const events = payloadOf([...chunks.map(({ json }) => json), finish.json, usage, "[DONE]"]);
    const whole = JSON.stringify(completion({}, { usage: (JSON.parse(usage) as { usage: object }).usage }));
    const type = stream ? "text/event-stream" : "application/json";
    socket.write(wholeReply("200 OK", [`content-type: ${type}`], stream ? events : whole));
    writing.end("whole");
  },
};

/** The start of a reply, up to a random byte before its finish reason is complete, and the number of complete chunks in it. */
function truncate(plan: CutPlan, random: () => number): Omit<Truth, "end"> & { bytes: Uint8Array; isChunked: boolean } {
  const isChunked = random() < 0.5;
  const head = Buffer.from(isChunked ? EVENTS_HEAD : CLOSE_DELIMITED_HEAD);
  const frames = [...plan.chunks, plan.finish].map(({ json }) => Buffer.from(`data: ${json}\n\n`));
  const payload = Buffer.concat(frames);
  // Before the last brace of the finish reason's chunk: if that were sent, the response would be complete.
  const cut = Math.floor(random() * (payload.length - 3));
  const isEarly = random() < 0.1;
  const earlyCut = Math.floor(random() * (head.length + frames[0]!.length));
  const payloadCut = isEarly ? Math.max(0, earlyCut - head.length) : cut;
  const body = payload.subarray(0, payloadCut);
  const ends: number[] = [];
  for (const frame of frames) ends.push((ends.at(-1) ?? 0) + frame.length);
  return {
    isChunked,
    bytes:
      isEarly && earlyCut < head.length ? head.subarray(0, earlyCut) : Buffer.concat([head, isChunked ? cutParts(body, random) : body]),
    chunks: ends.filter((end) => end <= payloadCut).length,
    chunksButForTheirEnd: ends.filter((end) => end - 2 <= payloadCut).length,
  };
}

/** The bytes as a chunked body. Its last chunk is either announced as longer than it is, or complete. */
function cutParts(bytes: Uint8Array, random: () => number): Buffer {
  const parts = cutAnywhere(bytes, random).map(toPart);
  const last = parts.at(-1);
  if (last && random() < 0.7) {
    const piece = last.subarray(last.indexOf("\r\n") + 2, -2);
    parts[parts.length - 1] = Buffer.concat([Buffer.from(`${(piece.length + 1 + Math.floor(random() * 500)).toString(16)}\r\n`), piece]);
  }
  return Buffer.concat(parts);
}

function toPart(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

function payloadOf(events: readonly string[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${event}\n\n`).join(""));
}

async function answer(socket: Socket, body: string): Promise<void> {
  const request = JSON.parse(body) as CutRequest;
  await MANNERS[request.manner](new Writing(socket, request), socket, request);
}

const { baseUrl } = await startRawUpstream({ up: answer });
const log = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  routes: { "/truth": () => Response.json({ baseUrl, truths: Object.fromEntries(truths) } satisfies TruthLog) },
});
process.stdout.write(`${JSON.stringify({ port: log.port })}\n`);
