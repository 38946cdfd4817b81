import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { chunk, completion, GOOD_CHUNKS, startMockUpstream, type MockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask, type ReadReply } from "./ask.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_PROC, peakResidentBytes, residentBytes } from "./process-facts.ts";
import {
  bodyPart,
  EVENTS_HEAD,
  reset,
  startRawUpstream,
  wholeReply,
  writeForever,
  type RawScript,
  type RawUpstream,
} from "./raw-upstream.ts";

const MB = 1024 * 1024;
/** A port without a listener. A port that was just closed is soon given to another test. */
const PORT_OF_NOBODY = 1;
const JSON_TYPE = "content-type: application/json";
const EVENTS_TYPE = "content-type: text/event-stream";
const WHOLE = wholeReply("200 OK", [JSON_TYPE], JSON.stringify(completion()));
const FIRST_CHUNK = bodyPart(`data: ${chunk({ role: "assistant", content: "Hello" })}\n\n`);
const ALL_EVENTS = [...GOOD_CHUNKS, "[DONE]"].map((event) => `data: ${event}\n\n`).join("");

/** The target of redirects. */
let target: MockUpstream;
let upstream: RawUpstream;
/** An upstream that never responds, so that no connection to it is reused. */
let resetting: RawUpstream;
let gateway: RunningGateway;
let key: string;

/** Resolved when the client has received the start of the stream, which then fails. */
const heardBeforeReset = Promise.withResolvers<void>();
const heardBeforeClose = Promise.withResolvers<void>();

const scripts: Record<string, RawScript> = {
  whole: (socket) => void socket.write(WHOLE),
  "reset-second-time": (socket) => void (upstream.requestsFor("reset-second-time") === 1 ? socket.write(WHOLE) : reset(socket)),
  "close-reused": (socket) => void (upstream.requestsFor("close-reused") === 2 ? socket.end() : socket.write(WHOLE)),
  "reset-in-announced-json": (socket) => void socket.write(WHOLE.subarray(0, -20), () => setTimeout(reset, 50, socket)),
  "close-in-announced-json": (socket) => void socket.end(WHOLE.subarray(0, -20)),
  "reset-in-chunked-json"(socket) {
    const half = bodyPart(JSON.stringify(completion()).slice(0, -20));
    socket.write(`HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n${half}`, () => setTimeout(reset, 50, socket));
  },
  async "reset-in-stream"(socket) {
    socket.write(EVENTS_HEAD + FIRST_CHUNK);
    await heardBeforeReset.promise;
    reset(socket);
  },
  async "close-in-stream"(socket) {
    socket.write(EVENTS_HEAD + FIRST_CHUNK);
    await heardBeforeClose.promise;
    socket.end();
  },
  "gzip-json": (socket) =>
    void socket.write(wholeReply("200 OK", [JSON_TYPE, "content-encoding: gzip"], gzipSync(JSON.stringify(completion())))),
  "gzip-stream": (socket) => void socket.write(wholeReply("200 OK", [EVENTS_TYPE, "content-encoding: gzip"], gzipSync(ALL_EVENTS))),
  redirect: (socket) => void socket.write(wholeReply("302 Found", [`location: ${target.baseUrl}/chat/completions`], "")),
  "repeated-redirect": (socket) =>
    void socket.write(wholeReply("307 Temporary Redirect", [`location: ${target.baseUrl}/chat/completions`], "")),
  async "endless-line"(socket) {
    socket.write(`${EVENTS_HEAD}${bodyPart("data: ")}`);
    await writeForever(socket, bodyPart("x".repeat(16 * 1024)));
  },
  async "endless-lines"(socket) {
    socket.write(EVENTS_HEAD + FIRST_CHUNK);
    await writeForever(socket, bodyPart(`data: ${"x".repeat(16 * 1024)}\n`));
  },
};

beforeAll(async () => {
  target = startMockUpstream({ redirect: () => Response.json(completion()), "repeated-redirect": () => Response.json(completion()) });
  upstream = await startRawUpstream(scripts);
  resetting = await startRawUpstream({ "reset-at-once": reset });
  gateway = await startGateway({
    yaml: `upstreams:
  - { id: broken, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true }
  - { id: resetting, dialect: openai, base_url: "${resetting.baseUrl}", allow_private: true }
  - { id: absent, dialect: openai, base_url: "http://127.0.0.1:${PORT_OF_NOBODY}/v1", allow_private: true }
models:
  - { id: absent, routes: [{ upstream: absent, model: absent }], price: ${TEST_PRICE} }
  - { id: reset-at-once, routes: [{ upstream: resetting, model: reset-at-once }], price: ${TEST_PRICE} }
${Object.keys(scripts)
  .map((model) => `  - { id: ${model}, routes: [{ upstream: broken, model: ${model} }], price: ${TEST_PRICE} }`)
  .join("\n")}
`,
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  upstream.stop();
  resetting.stop();
  await target.stop();
});

test("a well-behaved response of the test upstream passes the gateway", async () => {
  expect(await ask(gateway, key, "whole", false)).toMatchObject({ status: 200, errorCode: undefined });
});

for (const stream of [false, true]) {
  const kind = stream ? "a stream" : "a JSON answer";

  test(`${kind} from an address that refuses connections is a 503 with Retry-After`, async () => {
    const reply = await ask(gateway, key, "absent", stream);
    expect(reply).toMatchObject({ status: 503, errorCode: "no_upstream_available" });
    expect(reply.headers.get("retry-after")).toMatch(/^[1-5]?[0-9]$/);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await reply.log()).toMatchObject({ detail: expect.stringContaining("ECONNREFUSED") });
  });

  test(`${kind} whose new connection is reset before the first byte is a 502 after one call`, async () => {
    const before = resetting.requestsFor("reset-at-once");
    await expectBadGateway("reset-at-once", stream, "ECONNRESET");
    expect(resetting.requestsFor("reset-at-once") - before).toBe(1);
  });

  for (const model of ["redirect", "repeated-redirect"]) {
    test(`${kind} does not follow a ${model}`, async () => {
      await expectBadGateway(model, stream, /upstream status 30[27]/);
      expect(target.requests).toBeEmpty();
    });
  }
}

test("a request whose reused connection is reset before the first byte is sent again on a new one, once", async () => {
  expect((await ask(gateway, key, "reset-second-time", false)).status).toBe(200);
  const before = upstream.connections();
  await expectBadGateway("reset-second-time", false, "ECONNRESET");
  expect(upstream.requestsFor("reset-second-time")).toBe(3);
  expect(upstream.connections()).toBe(before + 1);
});

test("a request that succeeds when it is resent is one attempt, and is charged once", async () => {
  expect((await ask(gateway, key, "close-reused", false)).status).toBe(200);
  const reply = await ask(gateway, key, "close-reused", false);
  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-tollgate-attempts")).toBe("1");
  expect(upstream.requestsFor("close-reused")).toBe(3);
});

for (const model of ["reset-in-announced-json", "close-in-announced-json", "reset-in-chunked-json"]) {
  test(`a truncated JSON response is a 502: ${model}`, async () => {
    await expectBadGateway(model, false, "ECONNRESET");
  });
}

test("a stream whose connection is reset ends with an error frame and no [DONE]", async () => {
  expectBrokenStream(await ask(gateway, key, "reset-in-stream", true, heardBeforeReset.resolve));
});

test("a stream whose connection is closed too early ends with an error frame and no [DONE]", async () => {
  expectBrokenStream(await ask(gateway, key, "close-in-stream", true, heardBeforeClose.resolve));
});

test("an unrequested compressed JSON response is a 502", async () => {
  await expectBadGateway("gzip-json", false, "not JSON");
});

test("an unrequested compressed stream is a 502", async () => {
  await expectBadGateway("gzip-stream", true, "the stream ended before its first chunk");
});

test("a line without an end is a 502, and is not read to its end", async () => {
  await expectBadGateway("endless-line", true, "an event without an end");
  await expectGone("endless-line");
});

test("an event without an end fails the stream, and is not read to its end", async () => {
  const reply = await ask(gateway, key, "endless-lines", true);
  expectBrokenStream(reply);
  expect(await reply.log()).toMatchObject({ detail: "an event without an end" });
  await expectGone("endless-lines");
});

// Measured: at most 335 MB. An event may have 4 MB, and each time it grows, a copy is left behind until garbage collection.
test.skipIf(!HAS_PROC)("events without an end take bounded memory, ten at a time and forty in all", async () => {
  const before = residentBytes(gateway.pid);
  for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 10 }, () => ask(gateway, key, "endless-line", true)));
  expect(peakResidentBytes(gateway.pid) - before).toBeLessThan(10 * 60 * MB);
});

async function expectBadGateway(model: string, stream: boolean, detail: string | RegExp): Promise<void> {
  const reply = await ask(gateway, key, model, stream);
  expect(reply).toMatchObject({ status: 502, errorCode: "upstream_error" });
  expect(await reply.log()).toMatchObject({ detail: expect.stringMatching(detail) });
}

function expectBrokenStream(reply: ReadReply): void {
  expect(reply).toMatchObject({ status: 200, errorCode: "upstream_error" });
  expect(reply.text).toContain('"content":"Hello"');
  expect(reply.text).not.toContain("[DONE]");
}

async function expectGone(upstreamModel: string): Promise<void> {
  await eventually(
    () => upstream.openFor(upstreamModel),
    (open) => open === 0,
  );
}
