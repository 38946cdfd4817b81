import { chunk, usageChunk } from "../../test/support/upstreams/mock-upstream.ts";
import { demoModel } from "./catalog.ts";

/** All providers of the demo behind one port, each at its own path. */
export interface DemoUpstream {
  baseUrlOf(upstream: string): string;
  /** Rejects the next call of this upstream. */
  overload(upstream: string): void;
  stop(): Promise<void>;
}

const ANSWERS: Readonly<Record<string, string>> = {
  "claude-sonnet-4": `A toll gate lets traffic through one lane at a time, and counts what passes.

Everyone pays the same way, whichever road they take behind it. Nothing passes uncounted. And when one road is closed, the next is open.`,
  "gpt-4.1": `It does three things:

1. It stops each vehicle and asks who pays.
2. It lets through those who can, and keeps a record.
3. It sends traffic on to a road that is open.`,
};
const OTHER_ANSWER = "It lets traffic through, one vehicle at a time, and keeps count of what each has to pay.";

export function startDemoUpstream(): DemoUpstream {
  const overloaded = new Set<string>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const upstream = new URL(request.url).pathname.split("/")[1]!;
      if (overloaded.delete(upstream)) return Response.json({ error: { message: "Overloaded" } }, { status: 529 });
      const { model } = (await request.json()) as { model: string };
      return new Response(spoken(model), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    baseUrlOf: (upstream) => `http://127.0.0.1:${server.port}/${upstream}/v1`,
    overload: (upstream) => void overloaded.add(upstream),
    stop: () => server.stop(true),
  };
}

/** The response, at the pace of the model. */
async function* spoken(model: string): AsyncGenerator<string> {
  const { firstTokenMs, tokenMs } = demoModel(model);
  const answer = ANSWERS[model] ?? OTHER_ANSWER;
  const words = answer.split(/(?<=\s)/);
  await Bun.sleep(firstTokenMs);
  yield event(chunk({ role: "assistant", content: "" }));
  for (const content of words) {
    yield event(chunk({ content }));
    await Bun.sleep(tokenMs);
  }
  yield event(chunk({}, "stop"));
  const tokens = Math.ceil(answer.length / 4);
  yield event(usageChunk({ prompt_tokens: 24, completion_tokens: tokens, total_tokens: 24 + tokens }));
  yield event("[DONE]");
}

const event = (data: string): string => `data: ${data}\n\n`;
