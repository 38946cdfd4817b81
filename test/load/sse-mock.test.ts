import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { startMock, TEST_CERTIFICATE, type RunningMock } from "./run-load.ts";

let mock: RunningMock;
beforeAll(async () => (mock = await startMock({ tls: TEST_CERTIFICATE })));
beforeEach(() => control("reset"));
afterAll(() => mock.stop());

async function control(call: string): Promise<void> {
  await fetch(`${mock.url}/${call}`, { method: "POST" });
}

function ask(body: object, options: RequestInit = {}, url = mock.url): Promise<Response> {
  const init = { method: "POST", body: JSON.stringify(body), tls: { rejectUnauthorized: false }, ...options };
  return fetch(`${url}/v1/chat/completions`, init);
}

const stream = (model: string): object => ({ model, stream: true, stream_options: { include_usage: true } });

/** The texts of a stream. */
function textsIn(body: string): string[] {
  return [...body.matchAll(/"content":" (w\d+)/g)].map(([, text]) => text!);
}

describe("a stream", () => {
  test("has the role, the numbered texts, the finish reason, usage and [DONE]", async () => {
    const answer = await ask(stream("sse-3-5"));
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const events = (await answer.text()).split("\n\n");
    const chunks = events.slice(0, -2).map((event) => JSON.parse(event.slice("data: ".length)) as Record<string, object[]>);
    expect(chunks.map(({ choices }) => choices![0])).toMatchObject([
      { delta: { role: "assistant", content: "" }, finish_reason: null },
      { delta: { content: " w000000" }, finish_reason: null },
      { delta: { content: " w000001" }, finish_reason: null },
      { delta: { content: " w000002" }, finish_reason: null },
      { delta: {}, finish_reason: "stop" },
      undefined as never,
    ]);
    expect(chunks.at(-1)!["usage"]).toEqual({ prompt_tokens: 32, completion_tokens: 3, total_tokens: 35 } as never);
    expect(events.slice(-2)).toEqual(["data: [DONE]", ""]);
    expect(Buffer.byteLength(events[1]!)).toBeWithin(180, 200);
  });

  test("has usage only where it is requested", async () => {
    expect(await (await ask({ model: "burst-2", stream: true })).text()).not.toContain("usage");
  });

  test("of a size has that many bytes of text", async () => {
    const body = await (await ask(stream("big-2mib"))).text();
    expect(textsIn(body)).toHaveLength(512);
    expect(body.length).toBeWithin(2 * 1024 * 1024, 2.2 * 1024 * 1024);
  });

  test("that idles continues until it is finished, and then reports its text", async () => {
    const answers = await Promise.all([ask(stream("idle-20")), ask(stream("idle-20000"))]);
    await eventually(
      () => mock.counters(),
      ({ chunks }) => chunks > 4,
    );
    await control("finish");
    const [busy, still] = (await Promise.all(answers.map((answer) => answer.text()))) as [string, string];
    expect(textsIn(still)).toEqual(["w000000"]);
    expect(still).toContain('"completion_tokens":1,');
    expect(textsIn(busy).length).toBeGreaterThan(3);
    expect(busy).toContain(`"completion_tokens":${textsIn(busy).length},`);
    expect(busy).toEndWith("data: [DONE]\n\n");
  });
});

describe("other responses", () => {
  test("are JSON of about 570 bytes with the model's own name, also for a body in chunks, or over TLS", async () => {
    const body = await (await ask({ model: "any" })).text();
    expect(body.length).toBeWithin(540, 600);
    expect(JSON.parse(body)).toMatchObject({ model: "any", choices: [{ finish_reason: "stop" }], usage: { total_tokens: 56 } });
    const chunked = new Blob(['{"model":', '"any"}']).stream();
    expect(await (await ask({}, { body: chunked })).text()).toBe(body);
    expect(await (await ask({ model: "any" }, {}, mock.tlsUrl!)).text()).toBe(body);
  });

  test("are found in a body that is larger than a packet", async () => {
    const answer = await ask({ messages: [{ role: "user", content: "x".repeat(1_000_000) }], model: "behind" });
    expect(await answer.json()).toMatchObject({ model: "behind" });
  });

  test("have the status that a model names, 404 for an unknown stream, and none from a model that hangs", async () => {
    for (const model of ["status-429", "status-500"]) {
      for (const body of [{ model }, stream(model)]) expect((await ask(body)).status).toBe(Number(model.slice(-3)));
    }
    expect((await ask(stream("unknown"))).status).toBe(404);
    expect((await fetch(`${mock.url}/elsewhere`)).status).toBe(404);
    const leaving = new AbortController();
    const hanging = ask({ model: "hang" }, { signal: leaving.signal });
    await eventually(
      () => mock.counters(),
      ({ hung }) => hung === 1,
    );
    leaving.abort();
    expect(await hanging.then(String, ({ name }: Error) => name)).toBe("AbortError");
    expect(await mock.counters()).toMatchObject({ refusals: 6, hung: 1 });
  });
});

describe("the counters", () => {
  test("count the issued tokens and responses", async () => {
    await Promise.all([ask(stream("sse-3-1")), ask(stream("burst-7")), ask({ model: "any" })].map(async (answer) => (await answer).text()));
    expect(await mock.counters()).toMatchObject({
      answers: 1,
      opened: 2,
      finished: 2,
      aborted: 0,
      open: 0,
      chunks: 10,
      promptTokens: 96,
      completionTokens: 34,
    });
  });

  test("count disconnected streams, and report the time of a marked disconnect", async () => {
    const leaving = new AbortController();
    const marked = { ...stream("sse-100000-20"), messages: [{ role: "user", content: "[mark 42]" }] };
    await ask(marked, { signal: leaving.signal });
    const left = Date.now();
    leaving.abort();
    const counted = await eventually(
      () => mock.counters(),
      ({ aborted }) => aborted === 1,
    );
    expect(counted).toMatchObject({ opened: 1, finished: 0, open: 0, completionTokens: 0 });
    const [[mark, at]] = (await (await fetch(`${mock.url}/aborts`)).json()) as [[number, number]];
    expect(mark).toBe(42);
    expect(at).toBeGreaterThan(left - 50);
  });
});
