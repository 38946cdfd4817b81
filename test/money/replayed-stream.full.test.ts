import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import {
  configFor,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";

const COMMENT = ": keep-alive\n\n";

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;
const gate = Promise.withResolvers<void>();

beforeAll(async () => {
  mock = startMockUpstream({ "up-before": () => silentAfter(0), "up-between": () => silentAfter(2) });
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, ["before", "between"]) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway?.stop();
  await mock?.stop();
});

/** Sends some chunks, and the rest when the gate opens. */
function silentAfter(count: number): Response {
  const { stream, write, end } = manualStream();
  const events = [...GOOD_CHUNKS, "[DONE]"];
  for (const event of events.slice(0, count)) write(`data: ${event}\n\n`);
  const finish = async (): Promise<void> => {
    await gate.promise;
    for (const event of events.slice(count)) write(`data: ${event}\n\n`);
    end();
  };
  void finish();
  return rawEvents(stream);
}

function ask(model: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": model };
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: "user", content: "Hello!" }],
    stream_options: { include_usage: true },
  });
  return fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
}

/** The body of a stream. `commented` is called after its first comment. */
async function readStream(response: Response, commented: () => void): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of response.body!) {
    text += decoder.decode(part, { stream: true });
    if (text.includes(COMMENT)) commented();
  }
  return text;
}

test("a replayed stream is the original without its keep-alive comments, byte for byte", async () => {
  const models = ["before", "between"];
  const commented = models.map(() => Promise.withResolvers<void>());
  const originals = models.map(async (model, index) => readStream(await ask(model), commented[index]!.resolve));
  await Promise.all(commented.map(({ promise }) => promise));
  gate.resolve();
  for (const [index, model] of models.entries()) {
    const original = await originals[index]!;
    const replay = await ask(model);
    expect(replay.headers.get("x-tollgate-replayed")).not.toBeNull();
    expect(await replay.text()).toBe(original.replaceAll(COMMENT, ""));
    expect(original).toContain(COMMENT);
    expect(original).toEndWith("data: [DONE]\n\n");
  }
});
