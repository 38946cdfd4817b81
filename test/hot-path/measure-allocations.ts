import { configFor } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { bodyPart, EVENTS_HEAD, startRawUpstream, wholeReply, type RawScript } from "../streams/raw-upstream.ts";
import { readHeap, WITHOUT_COLLECTIONS, type HeapReading } from "./heap-reading.ts";
import { LockstepCaller } from "./lockstep-caller.ts";

/** The allocations of one request, or of one chunk. */
export interface AllocationCount {
  readonly bytes: number;
  /** Objects of each kind, by the engine's name. */
  readonly objects: ReadonlyMap<string, number>;
}

export interface Allocations {
  readonly ofRequest: AllocationCount;
  readonly ofChunk: AllocationCount;
}

/** Warm-up requests, which fill caches and compile the code. */
const WARM_UP = 500;
/** Background work runs during some of the windows, so their minimum is the constant part. */
const WINDOWS = 2;
const REQUESTS = 800;
const CHUNKS = 1000;

const MESSAGES = [
  { role: "system", content: "You are a helpful assistant." },
  { role: "user", content: "Say something nice about gateways, in at most two sentences." },
];
const ANSWER = {
  id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
  object: "chat.completion",
  created: 1741569952,
  model: "gpt-4.1-2025-04-14",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "A good gateway is a quiet one. This one is hardly there.", refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29, prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 } },
  service_tier: "default",
};
const CHUNK = { id: ANSWER.id, object: "chat.completion.chunk", created: ANSWER.created, model: ANSWER.model };

/** Starts a gateway with all features on, and sends one request after the other. */
export async function measureAllocations(): Promise<Allocations> {
  let streaming: Parameters<RawScript>[0] | undefined;
  const upstream = await startRawUpstream({
    "up-whole": (socket) => void socket.write(wholeReply("200 OK", ["content-type: application/json"], JSON.stringify(ANSWER))),
    "up-pieces": (socket) => {
      streaming = socket.setNoDelay(true);
      socket.write(EVENTS_HEAD + piece("0;"));
    },
  });
  const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["whole", "pieces"]), env: WITHOUT_COLLECTIONS });
  try {
    const caller = await LockstepCaller.connect(gateway.baseUrl, (await gateway.makeKey()).key);
    const request = JSON.stringify({ model: "whole", messages: MESSAGES, max_tokens: 100 });
    const askWhole = async (): Promise<void> => {
      caller.ask(request);
      const reply = await caller.hear("}");
      if (!reply.startsWith("HTTP/1.1 200 ")) throw new Error(reply);
    };
    const nextChunk = async (n: number): Promise<void> => {
      streaming!.write(piece(`${n};`));
      await caller.hear("\n\n\r\n");
    };
    const read = (): Promise<HeapReading> => readHeap(gateway);
    const ofRequest = await measure(askWhole, REQUESTS, read);
    caller.ask(JSON.stringify({ model: "pieces", messages: MESSAGES, max_tokens: 100_000, stream: true }));
    await caller.hear("\n\n\r\n");
    const ofChunk = await measure(nextChunk, CHUNKS, read);
    caller.close();
    return { ofRequest, ofChunk };
  } finally {
    await gateway.stop();
    upstream.stop();
  }
}

async function measure(once: (n: number) => Promise<void>, times: number, read: () => Promise<HeapReading>): Promise<AllocationCount> {
  for (let n = 0; n < WARM_UP; n++) await once(n);
  const readings = [await read()];
  for (let window = 0; window < WINDOWS; window++) {
    for (let n = 0; n < times; n++) await once(n);
    readings.push(await read());
  }
  const least = (of: (reading: HeapReading) => number): number =>
    Math.min(...readings.slice(1).map((reading, before) => (of(reading) - of(readings[before]!)) / times));
  const kinds = Object.keys(readings.at(-1)!.cells);
  return { bytes: least(({ bytes }) => bytes), objects: new Map(kinds.map((kind) => [kind, least(({ cells }) => cells[kind] ?? 0)])) };
}

function piece(content: string): string {
  const choice = { index: 0, delta: { content }, logprobs: null, finish_reason: null };
  return bodyPart(`data: ${JSON.stringify({ ...CHUNK, choices: [choice] })}\n\n`);
}
