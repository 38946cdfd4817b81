import type { Upstream } from "../systems/system.ts";

/** When no request has arrived for this long, the gateway has admitted all that it will admit. */
const QUIET_MS = 3000;

export interface HoldingMock {
  readonly upstream: Upstream;
  /** The number of chat completion requests received. */
  readonly calls: number;
  stop(): Promise<void>;
}

/**
 * An upstream that answers none of the first requests before it has received all of them, so that every gateway must send them in parallel.
 */
export function startHoldingMock(completionTokens: number): HoldingMock {
  const open = Promise.withResolvers<void>();
  let calls = 0;
  let quiet: Timer | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 255,
    async fetch(request) {
      if (request.method !== "POST") return Response.json({ object: "list", data: [] });
      const { model } = (await request.json()) as { model: string };
      calls++;
      clearTimeout(quiet);
      quiet = setTimeout(() => open.resolve(), QUIET_MS);
      await open.promise;
      return Response.json(completion(model, completionTokens));
    },
  });
  return {
    upstream: { url: `http://127.0.0.1:${server.port}/v1` },
    get calls() {
      return calls;
    },
    async stop() {
      clearTimeout(quiet);
      await server.stop(true);
    },
  };
}

function completion(model: string, completionTokens: number): object {
  const message = { role: "assistant", content: "Hello! How can I assist you today?" };
  const usage = { prompt_tokens: 19, completion_tokens: completionTokens, total_tokens: 19 + completionTokens };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: "chatcmpl-bench", object: "chat.completion", created: 1_741_569_952, model, choices, usage };
}
