import { join } from "node:path";
import { test } from "bun:test";
import { readHeap } from "../hot-path/heap-reading.ts";
import { LockstepCaller } from "../hot-path/lockstep-caller.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { bodyPart, EVENTS_HEAD, startRawUpstream } from "./raw-upstream.ts";
import { eventually } from "../support/eventually.ts";

const STREAMS = 10;
const PROMPT_BYTES = 1_000_000;
const CHUNK = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };

/** A stream lasts for minutes, and after its first chunk no failover can need the prompt. */
test("a stream that has started does not retain its prompt", async () => {
  const piece = { ...CHUNK, choices: [{ index: 0, delta: { content: "." }, finish_reason: null }] };
  const upstream = await startRawUpstream({
    "up-m": (socket) => void socket.write(EVENTS_HEAD + bodyPart(`data: ${JSON.stringify(piece)}\n\n`)),
  });
  const env = { BUN_OPTIONS: `--preload ${join(import.meta.dir, "../hot-path/report-live-heap.ts")}` };
  // A stream that has ended by a timeout would not retain its prompt either.
  const timeouts = "    timeouts: { between_chunks_ms: 600000, total_ms: 600000 }";
  const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["m"], timeouts), env });
  const callers: LockstepCaller[] = [];
  try {
    const { key } = await gateway.makeKey();
    const body = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: "x".repeat(PROMPT_BYTES) }],
      max_tokens: 9,
      stream: true,
    });
    const begin = async (): Promise<void> => {
      const caller = await LockstepCaller.connect(gateway.baseUrl, key);
      callers.push(caller);
      caller.ask(body);
      await caller.hear("\n\n\r\n");
    };
    await begin();
    const before = await readHeap(gateway);
    for (let at = 0; at < STREAMS; at++) await begin();
    // The last prompt may still be in use, or the conservative garbage collector may take a number for its address.
    await eventually(
      async () => ((await readHeap(gateway)).bytes - before.bytes) / STREAMS,
      (bytes) => bytes < PROMPT_BYTES / 10,
    );
  } finally {
    for (const caller of callers) caller.close();
    await gateway.stop();
    upstream.stop();
  }
}, 300_000);
