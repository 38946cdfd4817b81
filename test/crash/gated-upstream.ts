import { chunk, completion, manualStream, rawEvents, startMockUpstream, usageChunk, type MockUpstream } from "../mock-upstream.ts";

/** An upstream whose answers wait for a word before they end: JSON ones altogether, streams after their first text. */
export interface GatedUpstream {
  readonly upstream: MockUpstream;
  /** Lets all answers end that have begun, and all later ones at once. */
  open(): void;
  /** Answers are made to wait again. */
  shut(): void;
}

/** What a stream has counted with its first text, and what it comes to in the end. */
export const FIRST_USAGE = { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 };
export const LAST_USAGE = { prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 };

/** It serves `up-whole`, in JSON, and `up-stream`. */
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
  await gate;
  body.write([chunk({ content: " world" }), chunk({}, "stop"), usageChunk(LAST_USAGE), "[DONE]"].map(frame).join(""));
  body.end();
}

function frame(event: string): string {
  return `data: ${event}\n\n`;
}
