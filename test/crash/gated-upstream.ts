import {
  chunk,
  completion,
  manualStream,
  rawEvents,
  startMockUpstream,
  usageChunk,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";

/** An upstream whose responses wait for a gate: JSON responses completely, streams after their first text. */
export interface GatedUpstream {
  readonly upstream: MockUpstream;
  /** Opens the gate: all responses complete. */
  open(): void;
  /** Closes the gate for later responses. */
  shut(): void;
}

/** The usage that a stream reports with its first text, and its final usage. */
export const FIRST_USAGE = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
export const LAST_USAGE = { prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 };

/** Serves the models `up-whole`, in JSON, and `up-stream`. */
export function startGatedUpstream(): GatedUpstream {
  let gate = Promise.withResolvers<void>();
  const upstream = startMockUpstream({
    "up-whole": async () => {
      await gate.promise;
      return Response.json(completion({}, { usage: LAST_USAGE }));
    },
    "up-stream": () => {
      const body = manualStream();
      body.write(frame(chunk({ role: "assistant", content: "Hello" }, null, { usage: FIRST_USAGE })));
      void finish(body, gate.promise);
      return rawEvents(body.stream);
    },
  });
  return {
    upstream,
    open: () => gate.resolve(),
    shut: () => (gate = Promise.withResolvers()),
  };
}

async function finish(body: ReturnType<typeof manualStream>, gate: Promise<void>): Promise<void> {
  const isCancelled = await Promise.race([gate.then(() => false), body.cancelled.then(() => true)]);
  if (isCancelled) return;
  body.write([chunk({ content: " world" }), chunk({}, "stop"), usageChunk(LAST_USAGE), "[DONE]"].map(frame).join(""));
  body.end();
}

function frame(event: string): string {
  return `data: ${event}\n\n`;
}
