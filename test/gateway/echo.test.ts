import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenStream, expectGoodCompletion, expectGoodStream, textOf } from "../support/upstreams/conformance.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: CANCELS });
});
afterAll(() => gateway.stop());

function ask(more: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.firstKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "echo",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Good morning" },
      ],
      ...more,
    }),
    ...(signal && { signal }),
  });
}

const ANSWER = "This is only an echo, not a language model. You said: Good morning";

describe("the echo", () => {
  test("responds in JSON with its model name, and counts words as tokens", async () => {
    const completion = expectGoodCompletion(await (await ask({})).text(), "echo");
    expect(completion["choices"]).toMatchObject([{ message: { content: ANSWER }, finish_reason: "stop" }]);
    expect(completion["usage"]).toEqual({ prompt_tokens: 4, completion_tokens: 13, total_tokens: 17 });
  });

  test("streams the same, word by word", async () => {
    const chunks = expectGoodStream(await (await ask({ stream: true, stream_options: { include_usage: true } })).text(), "echo", {
      usage: true,
    });
    expect(textOf(chunks)).toBe(ANSWER);
    expect(chunks).toHaveLength(13 + 2);
    expect(chunks.at(-1)!.usage).toMatchObject({ total_tokens: 17 });
  });

  test("obeys max_tokens and n", async () => {
    const completion = expectGoodCompletion(await (await ask({ max_tokens: 3, n: 2 })).text(), "echo");
    expect(completion["choices"]).toMatchObject([
      { index: 0, message: { content: "This is only" }, finish_reason: "length" },
      { index: 1, message: { content: "This is only" }, finish_reason: "length" },
    ]);
    expect(completion["usage"]).toMatchObject({ completion_tokens: 6 });
    expectGoodStream(await (await ask({ max_tokens: 3, n: 2, stream: true })).text(), "echo");
  });

  test("reads content parts", async () => {
    const content = [
      { type: "text", text: "in" },
      { type: "image_url", image_url: "x" },
      { type: "text", text: "parts" },
    ];
    expect(await (await ask({ messages: [{ role: "user", content }] })).text()).toContain("You said: in  parts");
  });

  test("fails on demand", async () => {
    for (const [fail, status] of [
      ["upstream_error", 502],
      ["overloaded", 503],
      ["no_upstream_available", 503],
      ["upstream_timeout", 504],
    ] as const) {
      for (const stream of [false, true]) {
        const reply = await ask({ stream, echo: { fail } });
        expect([reply.status, ((await reply.json()) as { error: { code: string } }).error.code]).toEqual([status, fail]);
      }
    }
  });

  test("fails mid-stream on demand, with an error frame", async () => {
    const { chunks, error } = expectBrokenStream(await (await ask({ stream: true, echo: { cut_after: 2 } })).text());
    expect([textOf(chunks), error.code]).toEqual(["This is", "upstream_error"]);
    expect((await ask({ echo: { cut_after: 2 } })).status).toBe(502);
  });

  test("rejects unknown commands by name", async () => {
    const reply = await ask({ echo: { delay: 5 } });
    expect([reply.status, ((await reply.json()) as { error: { param: string } }).error.param]).toEqual([400, "echo.delay"]);
  });

  test("is not stalled by a long run of spaces", async () => {
    const reply = await ask({ messages: [{ role: "user", content: `x${" ".repeat(5_000_000)}` }] });
    expect(reply.status).toBe(200);
  });

  test("has a maximum output, whatever the prompt and n", async () => {
    const reply = await ask({ n: 128, messages: [{ role: "user", content: "word ".repeat(1_000_000) }] });
    const text = await reply.text();
    const { choices } = expectGoodCompletion(text, "echo") as { choices: { finish_reason: string }[] };
    expect(choices.map((choice) => choice.finish_reason)).toEqual(Array.from({ length: 128 }, () => "length"));
    expect(text.length).toBeLessThan(128 * 11_000);
  });

  test("notices that its client has disconnected", async () => {
    const leaving = new AbortController();
    // Long enough that it does not end before the disconnect, even on a machine that stalls.
    const messages = [{ role: "user", content: "word ".repeat(2000) }];
    const reply = await ask({ messages, stream: true, echo: { delay_ms: 100 } }, leaving.signal);
    await reply.body!.getReader().read();
    leaving.abort();
    const requestId = reply.headers.get("x-request-id");
    const line = await waitFor(() => gateway.logLines().find((each) => each["request_id"] === requestId));
    // The log line has the charge: the sum over the log is equal to the ledger.
    expect(line).toMatchObject({
      end: "caller_gone",
      provenance: "partial",
      prompt_tokens: expect.any(Number),
      cost: expect.stringMatching(/^0\.\d+$/),
    });
  });
});
