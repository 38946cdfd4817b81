import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startFaultyRelay, type Fault } from "./faulty-relay.ts";
import { runLoad, startMock, targetAt, TEST_CERTIFICATE, type LoadRun, type RunningMock } from "./run-load.ts";

let mock: RunningMock;
beforeAll(async () => (mock = await startMock({ tls: TEST_CERTIFICATE })));
afterAll(() => mock.stop());

/** Two streams of five texts each, through a relay that corrupts them. */
async function throughFault(fault: Fault): Promise<LoadRun["result"]> {
  const relay = startFaultyRelay(mock.url, fault);
  try {
    const { result } = await runLoad("streams", { target: targetAt(relay.url, "sse-5-1"), streams: 2, staggerMs: 5 });
    return result;
  } finally {
    await relay.stop();
  }
}

const eventWith = (body: string, text: string): string => body.split(/(?<=\n\n)/).find((event) => event.includes(text))!;

test("unchanged streams are complete and identical, and every chunk is counted and timed", async () => {
  const { exit, result } = await runLoad("streams", { target: mock.target("sse-20-2"), streams: 10, repeats: 2, staggerMs: 20 });
  expect(exit).toBe(0);
  expect(result).toMatchObject({ ok: true, errors: {}, streams: 20, whole: 20, identical: 20, chunks: 400, events: 480, comments: 0 });
  expect(result["gapUs"]).toMatchObject({ count: 380 });
  expect(result["firstUs"]).toMatchObject({ count: 20 });
});

test.each(["burst-200", "big-1mib"])("streams of %s are read completely", async (model) => {
  const { result } = await runLoad("streams", { target: mock.target(model), streams: 2, staggerMs: 5 });
  expect(result).toMatchObject({ ok: true, streams: 2, identical: 2 });
  expect(result["coalesced"]).toBeGreaterThan(100);
});

test("streams over TLS are read completely", async () => {
  const target = { ...targetAt(mock.tlsUrl!, "sse-20-2"), tls: true };
  expect((await runLoad("streams", { target, streams: 5, staggerMs: 5 })).result).toMatchObject({ ok: true, streams: 5, identical: 5 });
});

describe("detects a gateway that", () => {
  const cases: [what: string, fault: Fault, problem: string][] = [
    ["loses an event", (body) => body.replace(eventWith(body, " w000003"), ""), "a text that is wrong or out of place"],
    ["loses the last text", (body) => body.replace(eventWith(body, " w000004"), ""), "a finish reason out of place"],
    ["says something twice", (body) => body.replace(/(data: .* w000003.*\n\n)/, "$1$1"), "a text that is wrong or out of place"],
    [
      "swaps two events",
      (body) => body.replace(/(data: .* w000002.*\n\n)(data: .* w000003.*\n\n)/, "$2$1"),
      "a text that is wrong or out of place",
    ],
    ["changes a byte of a text", (body) => body.replace(" w000002", " w000x02"), "a text that is wrong or out of place"],
    ["forgets [DONE]", (body) => body.replace("data: [DONE]\n\n", ""), "no [DONE]"],
    ["forgets the finish reason", (body) => body.replace(eventWith(body, '"stop"'), ""), "token counts out of place"],
    ["changes the finish reason", (body) => body.replace('"stop"', '"length"'), "finish reason length"],
    ["forgets the token counts", (body) => body.replace(eventWith(body, '"usage"'), ""), "[DONE] out of place"],
    [
      "miscounts tokens",
      (body) => body.replace('"completion_tokens":5', '"completion_tokens":6'),
      "other token counts than the upstream's",
    ],
    ["breaks off in an event", (body) => body.slice(0, 500), "half an event at the end"],
    ["breaks off between events", (body) => body.slice(0, body.indexOf("data: ", 500)), "texts are missing"],
    ["ends with an error", (body) => body.replace(eventWith(body, " w000002"), 'data: {"error":{"message":"x"}}\n\n'), "an error event"],
    ["speaks behind [DONE]", (body) => `${body}data: {"choices":[{"delta":{"content":" w000005"}}]}\n\n`, "a text behind the end"],
    ["sends no JSON", (body) => body.replace('{"id"', '{id"'), "an event that is not JSON"],
    ["answers with another status", (body) => ({ status: 500, body }), "status 500"],
  ];
  test.each(cases)("%s", async (_, fault, problem) => {
    expect(await throughFault(fault)).toMatchObject({ ok: false, errors: { [problem]: 2 }, streams: 2, whole: 0, identical: 0 });
  });
});

test("permitted changes are complete, but not identical: a receipt beside the usage, comments, equivalent JSON", async () => {
  const receipt = await throughFault((body) => body.replace('"total_tokens":37}', '"total_tokens":37},"receipt":{"amount":"0.1"}'));
  expect(receipt).toMatchObject({ ok: true, whole: 2, identical: 0, changedEvents: 2 });
  const comments = await throughFault((body) => body.replace("data: ", ": keep-alive\n\ndata: "));
  expect(comments).toMatchObject({ ok: true, whole: 2, identical: 0, changedEvents: 0, comments: 2 });
  const rewritten = await throughFault((body) => body.replaceAll('"logprobs":null,', ""));
  expect(rewritten).toMatchObject({ ok: true, whole: 2, identical: 0, changedEvents: 14 });
});

test("a connection that fails mid-stream is an error", async () => {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n");
        socket.end();
      },
    },
  });
  const { result } = await runLoad("streams", { target: targetAt(`http://127.0.0.1:${server.port}`, "sse-5-1"), streams: 1 });
  server.stop(true);
  expect(result).toMatchObject({ ok: false, errors: { "the connection was closed": 1 } });
});

describe("reports an error, and measures nothing, where", () => {
  test("the argument is not JSON", async () => {
    expect(await runLoad("streams", "{")).toMatchObject({ exit: 1, stderr: "The argument is not JSON: {\n" });
  });

  test("the argument is incomplete", async () => {
    const { exit, stderr } = await runLoad("streams", { streams: 1 });
    expect([exit, stderr]).toEqual([1, "The argument lacks: target. See bench/load/README.md.\n"]);
  });

  test("the target does not listen", async () => {
    const { exit, stderr } = await runLoad("streams", { target: mock.target("sse-5-1", { port: 1 }), streams: 1 });
    expect(exit).toBe(1);
    expect(stderr).toStartWith("127.0.0.1:1 cannot be reached");
  });

  test("the model has no stream", async () => {
    const { exit, stderr } = await runLoad("streams", { target: mock.target("json"), streams: 1 });
    expect([exit, stderr]).toEqual([1, "json is not a stream that ends by itself.\n"]);
  });
});
