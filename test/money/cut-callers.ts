/**
 * Clients in a separate process, on raw sockets, so that they can disconnect at any byte. Reads its order as JSON from stdin and prints
 * what each client received, as JSON.
 */
import { connect } from "node:net";
import { seededRandom } from "../streams/seeded-stream.ts";
import { cutBody, planOf, silentAfter, type Counting, type Manner } from "./cut-plan.ts";

/** When a client disconnects. */
export type Leaving =
  /** Only at the end. */
  | "at-the-end"
  /** At a byte of the last chunk. */
  | "in-the-last-chunk"
  /** Some milliseconds after it sent its request, before or after the response. */
  | "after-asking"
  /** Immediately or a moment after it has read the finish reason. */
  | "after-the-finish"
  /** Immediately or up to 30 ms after the keep-alive comment. */
  | "after-a-comment"
  /** After sending only a part of its request. */
  | "while-asking";

export interface CutOrder {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly seeds: readonly string[];
  readonly manner: Manner;
  readonly counting: Counting;
  readonly stream: boolean;
  readonly leaving: Leaving;
  /** The number of concurrent clients. */
  readonly lanes: number;
}

export interface CutHeard {
  readonly seed: string;
  readonly status: number;
  readonly requestId: string;
  /** The data of the complete events; a JSON body has none. */
  readonly events: readonly string[];
}

/**
 * The maximum time that a client stays connected. If no client receives the end of a response, the next clients stay longer; if all of them
 * do, shorter. Both must happen, and the duration of a response depends on the load of the machine.
 */
let longestMs = 30;

/** On a busy machine, the data after the finish reason takes a while, and mostly arrives before the client disconnects. */
const MAX_DELAY_MS: Readonly<Partial<Record<Manner, number>>> = { undone: 300 };

/** With a response, a client may stay as long as a busy machine needs; some upstreams never send one. */
const MAX_STAY_MS: Readonly<Partial<Record<Manner, number>>> = { late: 30_000 };

function adjust(manner: Manner, hasHeardTheEnd: boolean): void {
  longestMs = Math.min(MAX_STAY_MS[manner] ?? 300, Math.max(3, longestMs * (hasHeardTheEnd ? 0.9 : 1.05)));
}

async function callOnce(seed: string, order: CutOrder): Promise<CutHeard> {
  const { model, stream, manner, counting, key, baseUrl } = order;
  const body = cutBody({ model, stream, seed_text: seed, manner, counting });
  const { hostname, port, pathname } = new URL(`${baseUrl}/chat/completions`);
  const head = [`POST ${pathname} HTTP/1.1`, `host: ${hostname}:${port}`, `authorization: Bearer ${key}`, "content-type: application/json"];
  const request = `${head.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
  const random = seededRandom(`leave ${seed}`);

  const socket = connect({ host: hostname, port: Number(port) });
  const over = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  const leave = (): void => void (random() < 0.5 ? socket.destroy() : socket.resetAndDestroy());
  const leaveSoon = (): void => void setTimeout(leave, random() * (MAX_DELAY_MS[manner] ?? longestMs));
  let received: Buffer = Buffer.alloc(0);
  const mayLeave = leavingOf(seed, order, leaveSoon, leave);
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    received = Buffer.concat([received, bytes as Buffer]);
    mayLeave(received);
  });
  if (order.leaving === "while-asking") socket.write(request.slice(0, Math.floor(random() * request.length)), leaveSoon);
  else socket.write(request, () => order.leaving === "after-asking" && leaveSoon());
  await over;
  if (order.leaving === "after-asking") adjust(manner, order.stream ? received.includes("[DONE]") : received.length > 0);
  return { seed, ...heardIn(received) };
}

/** Called whenever more data is received. */
function leavingOf(seed: string, order: CutOrder, leaveSoon: () => void, leave: () => void): (received: Buffer) => void {
  let isLeaving = false;
  const onceFound = (words: string, then: () => void) => (received: Buffer) => {
    if (isLeaving || !received.includes(words)) return;
    isLeaving = true;
    then();
  };
  if (order.leaving === "after-the-finish") return onceFound('"finish_reason":"stop"', leaveSoon);
  if (order.leaving === "after-a-comment") return onceFound(": keep-alive\n", leaveSoon);
  if (order.leaving !== "in-the-last-chunk") return () => {};
  // The gateway removes running usage, and the model's name is longer here: a chunk has at least this many characters when it arrives.
  const plan = planOf(seed, "end");
  const count = silentAfter(seed, plan);
  const depth = Math.floor(seededRandom(`byte ${seed}`)() * (plan.chunks[count - 1]!.json.length - 2));
  return (received) => {
    const start = placeOfChunk(received, count);
    if (start >= 0 && received.length >= start + depth) leave();
  };
}

/** The offset of the n-th chunk. JSON contains no raw line breaks, so nothing else looks like the start of a chunk. */
function placeOfChunk(received: Buffer, nth: number): number {
  let at = -1;
  for (let found = 0; found < nth; found++) {
    at = received.indexOf("\ndata: {", at + 1);
    if (at < 0) return -1;
  }
  return at + 1;
}

function heardIn(received: Buffer): Omit<CutHeard, "seed"> {
  const headEnd = received.indexOf("\r\n\r\n");
  const head = received.subarray(0, Math.max(0, headEnd)).toString("latin1");
  const text = unchunked(received.subarray(headEnd + 4)).toString("utf8");
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
    requestId: /^x-request-id: (\S+)/im.exec(head)?.[1] ?? "",
    events: head.includes("text/event-stream") ? eventsIn(text) : [text],
  };
}

/** The text after the last blank line is incomplete. Comments are not events. */
function eventsIn(text: string): string[] {
  const frames = text.split("\n\n").slice(0, -1);
  return frames.filter((frame) => frame.startsWith("data: ")).map((frame) => frame.slice("data: ".length));
}

/** A chunked body, decoded as far as it was received. Any other body is returned unchanged. */
function unchunked(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let rest = body; rest.length > 0;) {
    const size = /^([0-9a-f]+)\r\n/i.exec(rest.subarray(0, 16).toString("latin1"));
    if (!size) return pieces.length === 0 ? body : Buffer.concat(pieces);
    const start = size[0].length;
    const length = Number.parseInt(size[1]!, 16);
    pieces.push(rest.subarray(start, start + length));
    rest = rest.subarray(Math.min(rest.length, start + length + 2));
  }
  return Buffer.concat(pieces);
}

async function callAll(order: CutOrder): Promise<CutHeard[]> {
  const waiting = [...order.seeds];
  const heard: CutHeard[] = [];
  const lane = async (): Promise<void> => {
    for (let seed = waiting.pop(); seed !== undefined; seed = waiting.pop()) heard.push(await callOnce(seed, order));
  };
  await Promise.all(Array.from({ length: order.lanes }, lane));
  return heard;
}

if (import.meta.main) {
  const order = JSON.parse(await Bun.stdin.text()) as CutOrder;
  process.stdout.write(JSON.stringify(await callAll(order)));
}
