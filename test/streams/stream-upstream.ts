/**
 * An upstream in a separate process, for load. It streams the text of a request's `seed_text` and holds back the end of each stream until
 * it is released. With `offer_bytes` it sends up to this many bytes, as fast as its reader reads them.
 *
 * GET /stats returns the state of its streams; POST /release releases the held streams.
 */
import { cutAnywhere, seededRandom, seededStream } from "./seeded-stream.ts";

export interface StreamStats {
  /** Streams in flight. */
  readonly open: number;
  /** Streams that have sent everything except for their end, and wait. */
  readonly held: number;
  readonly finished: number;
  /** Streams that the gateway cancelled. */
  readonly aborted: number;
  /** Bytes that readers have received, or that are in socket buffers. */
  readonly takenBytes: number;
}

interface StreamRequest {
  readonly model: string;
  readonly seed_text?: string;
  readonly offer_bytes?: number;
}

type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

const utf8 = new TextEncoder();
const stats = { open: 0, held: 0, finished: 0, aborted: 0, takenBytes: 0 };
let gate = Promise.withResolvers<void>();

function release(): Response {
  gate.resolve();
  gate = Promise.withResolvers();
  return new Response();
}

async function* seededPieces(seed: string, model: string, gone: AbortSignal): Pieces {
  const { text, finish, usage } = seededStream(seed, model);
  const random = seededRandom(`network ${seed}`);
  const lineEnd = random() < 0.3 ? "\r\n" : "\n";
  const frame = (event: string): string => `${random() < 0.1 ? `: ping${lineEnd}` : ""}data: ${event}${lineEnd}${lineEnd}`;
  yield* paced(utf8.encode(text.map(frame).join("")), random);
  await held(gone);
  yield* paced(utf8.encode([finish, usage, "[DONE]"].map(frame).join("")), random);
}

async function* paced(bytes: Uint8Array, random: () => number): Pieces {
  for (const piece of cutAnywhere(bytes, random)) {
    if (random() < 0.5) await Bun.sleep(Math.floor(random() * 10));
    yield piece;
  }
}

/** Waits for the release, or for the disconnect of the reader. */
async function held(gone: AbortSignal): Promise<void> {
  const left = new Promise((resolve) => gone.addEventListener("abort", resolve));
  stats.held++;
  if (!gone.aborted) await Promise.race([gate.promise, left]);
  stats.held--;
}

/** Endless text, generated as fast as it is read. */
async function* offeredPieces(bytes: number, model: string): Pieces {
  const { text } = seededStream("offer", model);
  yield utf8.encode(`data: ${text[0]}\n\n`);
  const event = utf8.encode(`data: ${text[1]!.replace('"content":"', `"content":"${"x".repeat(32 * 1024)}`)}\n\n`);
  for (let sent = 0; sent < bytes; sent += event.byteLength) yield event;
}

function stream(pieces: Pieces, gone: AbortSignal): Response {
  stats.open++;
  let isOpen = true;
  const end = (how: "finished" | "aborted"): void => {
    if (!isOpen) return;
    isOpen = false;
    stats.open--;
    stats[how]++;
  };
  gone.addEventListener("abort", () => end("aborted"));
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value } = await pieces.next();
        if (!isOpen) return;
        if (value) {
          stats.takenBytes += value.byteLength;
          controller.enqueue(value);
        } else {
          end("finished");
          controller.close();
        }
      },
      cancel: () => end("aborted"),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  routes: {
    "/stats": () => Response.json(stats satisfies StreamStats),
    "/release": { POST: release },
    "/v1/chat/completions": {
      async POST(request) {
        const { model, seed_text: seed = "", offer_bytes: offer } = (await request.json()) as StreamRequest;
        const gone = request.signal;
        return stream(offer === undefined ? seededPieces(seed, model, gone) : offeredPieces(offer, model), gone);
      },
    },
  },
});

process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
