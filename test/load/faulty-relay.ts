/** How a faulty gateway changes a response. */
export type Fault = (body: string) => string | { readonly status: number; readonly body: string };

export interface FaultyRelay {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * A relay in front of an upstream that corrupts every response in one way. It reads the complete response first; `model` replaces an
 * endless one.
 */
export function startFaultyRelay(upstream: string, fault: Fault, model?: string): FaultyRelay {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const asked = await request.text();
      const body = model === undefined ? asked : asked.replace(/"model":"[^"]*"/, `"model":"${model}"`);
      const answer = await fetch(`${upstream}${new URL(request.url).pathname}`, { method: request.method, body });
      const spoiled = fault(await answer.text());
      const { status, body: text } = typeof spoiled === "string" ? { status: answer.status, body: spoiled } : spoiled;
      return new Response(text, { status, headers: { "content-type": answer.headers.get("content-type")! } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}
