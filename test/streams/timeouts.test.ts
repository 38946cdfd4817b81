import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { fakeNames } from "../egress/fake-names.ts";
import { chunk, completion, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask, type ReadReply } from "./ask.ts";
import { eventually } from "../support/eventually.ts";
import { bodyPart, EVENTS_HEAD, startRawUpstream, type RawUpstream } from "./raw-upstream.ts";
import { spawnListening, type ListeningProcess } from "../support/spawn-listening.ts";

/** Only the tested timeout is short: on a machine that stalls, no other timeout may expire first. */
const TIMEOUTS = {
  connect: "{ connect_ms: 400 }",
  connectOrTotal: "{ connect_ms: 400, total_ms: 3000 }",
  firstByte: "{ connect_ms: 60000, first_byte_ms: 600 }",
  betweenChunks: "{ connect_ms: 60000, between_chunks_ms: 500 }",
  total: "{ connect_ms: 60000, total_ms: 3000 }",
  notStreamed: "{ connect_ms: 60000, non_streamed_ms: 600, total_ms: 60000 }",
  notStreamedOrTotal: "{ connect_ms: 60000, non_streamed_ms: 600000, total_ms: 1000 }",
};
const FIRST_CHUNK = bodyPart(`data: ${chunk({ role: "assistant", content: "Hello" })}\n\n`);

let upstream: RawUpstream;
/** One is stopped from the start, the other after its first response. Neither accepts another connection then. */
let unreachable: ListeningProcess;
let reached: ListeningProcess;
/** A server on the port of the process that is stopped from the start, with another address. */
let beside: Bun.Server<undefined>;
const waiting: { destroy(): void }[] = [];
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = await startRawUpstream({
    silent() {},
    "stalling-refusal": (socket) => void socket.write("HTTP/1.1 429 Too Many\r\ncontent-length: 100\r\n\r\n{"),
    "head-only": (socket) => void socket.write(EVENTS_HEAD),
    "one-chunk": (socket) => void socket.write(EVENTS_HEAD + FIRST_CHUNK),
    async dripping(socket) {
      for (socket.write(EVENTS_HEAD); !socket.destroyed; await Bun.sleep(100)) socket.write(FIRST_CHUNK);
    },
    async "late-json"(socket) {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
      await Bun.sleep(900);
      socket.write(bodyPart(JSON.stringify(completion())) + bodyPart(""));
    },
    async "late-stream"(socket) {
      socket.write(EVENTS_HEAD);
      await Bun.sleep(900);
      socket.write(FIRST_CHUNK + bodyPart(`data: ${chunk({}, "stop")}\n\ndata: [DONE]\n\n`) + bodyPart(""));
    },
    async "dripping-json"(socket) {
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{");
      for (; !socket.destroyed; await Bun.sleep(100)) socket.write(" ");
    },
  });
  unreachable = await spawnListening(join(import.meta.dir, "freezable-upstream.ts"));
  reached = await spawnListening(join(import.meta.dir, "freezable-upstream.ts"));
  await freeze(unreachable);
  beside = Bun.serve({ hostname: "127.0.0.2", port: unreachable.port, fetch: () => Response.json(completion()) });
  gateway = await startGateway({
    yaml: `upstreams:
  - { id: silent, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, timeouts: ${TIMEOUTS.firstByte} }
  - { id: stalling, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, timeouts: ${TIMEOUTS.betweenChunks} }
  - { id: endless, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, timeouts: ${TIMEOUTS.total} }
  - { id: whole, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, timeouts: ${TIMEOUTS.notStreamed} }
  - { id: longer, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, timeouts: ${TIMEOUTS.notStreamedOrTotal} }
  - { id: unreachable, dialect: openai, base_url: "http://127.0.0.1:${unreachable.port}/v1", allow_private: true, timeouts: ${TIMEOUTS.connect} }
  - { id: reached, dialect: openai, base_url: "http://127.0.0.1:${reached.port}/v1", allow_private: true, timeouts: ${TIMEOUTS.connectOrTotal} }
  - { id: two-addresses, dialect: openai, base_url: "http://two.test:${unreachable.port}/v1", allow_private: true }
models:
  - { id: two-addresses, routes: [{ upstream: two-addresses, model: m }], price: ${TEST_PRICE} }
  - { id: silent, routes: [{ upstream: silent, model: silent }], price: ${TEST_PRICE} }
  - { id: silent-json, routes: [{ upstream: silent, model: silent }], timeouts: { total_ms: 3000 }, price: ${TEST_PRICE} }
  - { id: stalling-refusal, routes: [{ upstream: stalling, model: stalling-refusal }], price: ${TEST_PRICE} }
  - { id: head-only, routes: [{ upstream: silent, model: head-only }], price: ${TEST_PRICE} }
  - { id: one-chunk, routes: [{ upstream: stalling, model: one-chunk }], price: ${TEST_PRICE} }
  - { id: dripping, routes: [{ upstream: endless, model: dripping }], price: ${TEST_PRICE} }
  - { id: late-json, routes: [{ upstream: stalling, model: late-json }], price: ${TEST_PRICE} }
  - { id: dripping-json, routes: [{ upstream: endless, model: dripping-json }], price: ${TEST_PRICE} }
  - { id: whole, routes: [{ upstream: whole, model: dripping-json }], price: ${TEST_PRICE} }
  - { id: late-stream, routes: [{ upstream: whole, model: late-stream }], price: ${TEST_PRICE} }
  - { id: longer, routes: [{ upstream: longer, model: dripping-json }], price: ${TEST_PRICE} }
  - { id: of-the-model, routes: [{ upstream: longer, model: dripping-json }], timeouts: { non_streamed_ms: 500 }, price: ${TEST_PRICE} }
  - { id: unreachable, routes: [{ upstream: unreachable, model: unreachable }], price: ${TEST_PRICE} }
  - { id: reached, routes: [{ upstream: reached, model: reached }], price: ${TEST_PRICE} }
`,
    env: fakeNames({ "two.test": [["127.0.0.1", "127.0.0.2"]] }),
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  upstream.stop();
  await beside.stop(true);
  for (const socket of waiting) socket.destroy();
  await unreachable.stop();
  await reached.stop();
});

for (const stream of [false, true]) {
  const kind = stream ? "a stream" : "a JSON answer";
  test.concurrent(`connect: ${kind} from an address that accepts no connection is a 503 that can be retried`, async () => {
    const reply = await ask(gateway, key, "unreachable", stream);
    expect({ status: reply.status, code: reply.errorCode }).toEqual({ status: 503, code: "no_upstream_available" });
    expect(reply.headers.get("retry-after")).toBe("5");
    expect(reply.headers.get("x-should-retry")).toBeNull();
    expect(await reply.log()).toMatchObject({ detail: "waited 400 ms for the connection" });
  });
}

test.concurrent("connect: of two addresses of a name, the one that accepts connections is called", async () => {
  expect(await ask(gateway, key, "two-addresses", false)).toMatchObject({ status: 200 });
});

test.concurrent("connect: a call on an open connection is not aborted because new connections fail", async () => {
  await eventually(
    () => ask(gateway, key, "reached", false),
    ({ status }) => status === 200,
  );
  // The next call reuses the connection of the previous call.
  await freeze(reached);
  await expectTimeout(await ask(gateway, key, "reached", false), "waited 3000 ms for the whole response");
});

test.concurrent("between chunks: an error response that stalls in its body keeps its status", async () => {
  expect(await ask(gateway, key, "stalling-refusal", true)).toMatchObject({ status: 503, errorCode: "overloaded" });
});

test.concurrent("first byte: an upstream that accepts a stream and sends nothing is a 504", async () => {
  await expectTimeout(await ask(gateway, key, "silent", true), "waited 600 ms for the first byte");
});

test.concurrent("first byte: an upstream that sends its head and no event is a 504", async () => {
  await expectTimeout(await ask(gateway, key, "head-only", true), "waited 600 ms for the first byte");
  await expectGone("head-only");
});

test.concurrent("between chunks: a stream that falls silent ends with an error frame and no [DONE]", async () => {
  await expectBrokenStream(await ask(gateway, key, "one-chunk", true), "waited 500 ms for more of the response");
  await expectGone("one-chunk");
});

test.concurrent("total: a JSON response may pause between its head and its body", async () => {
  expect(await ask(gateway, key, "late-json", false)).toMatchObject({ status: 200 });
});

test.concurrent("total: a JSON response that does not start is a 504", async () => {
  await expectTimeout(await ask(gateway, key, "silent-json", false), "waited 3000 ms for the whole response");
});

test.concurrent("total: a JSON response that does not end is a 504", async () => {
  await expectTimeout(await ask(gateway, key, "dripping-json", false), "waited 3000 ms for the whole response");
  await expectGone("dripping-json");
});

test.concurrent("total: an endless slow stream ends with an error frame and no [DONE]", async () => {
  // On a machine that stalls, the timeout may expire before the first chunk.
  const reply = await eventually(
    () => ask(gateway, key, "dripping", true),
    ({ status }) => status === 200,
  );
  await expectBrokenStream(reply, "waited 3000 ms for the whole response");
  await expectGone("dripping");
});

test.concurrent("not streamed: a JSON response that does not end is a 504, also before the total", async () => {
  await expectTimeout(await ask(gateway, key, "whole", false), "waited 600 ms for the whole response");
  await expectTimeout(await ask(gateway, key, "of-the-model", false), "waited 500 ms for the whole response");
});

test.concurrent("not streamed: it does not extend the total", async () => {
  await expectTimeout(await ask(gateway, key, "longer", false), "waited 1000 ms for the whole response");
});

test.concurrent("not streamed: a stream may take longer", async () => {
  const reply = await ask(gateway, key, "late-stream", true);
  expect(reply.status).toBe(200);
  expect(reply.text).toContain("[DONE]");
});

test("every call that timed out is cancelled at the upstream too", async () => {
  await expectGone("silent");
  expect(upstream.requestsFor("silent")).toBe(2);
});

/** An HTTP error that tells clients not to retry: the upstream may have done the work. */
async function expectTimeout(reply: ReadReply, detail: string): Promise<void> {
  expect({ status: reply.status, code: reply.errorCode }).toEqual({ status: 504, code: "upstream_timeout" });
  expect(reply.headers.get("x-should-retry")).toBe("false");
  expect(await reply.log()).toMatchObject({ status: 504, code: "upstream_timeout", detail });
}

async function expectBrokenStream(reply: ReadReply, detail: string): Promise<void> {
  expect({ status: reply.status, code: reply.errorCode }).toEqual({ status: 200, code: "upstream_timeout" });
  expect(reply.text).toContain('"content":"Hello"');
  expect(reply.text).not.toContain("[DONE]");
  expect(await reply.log()).toMatchObject({ status: 200, end: "failed", code: "upstream_timeout", detail });
}

async function expectGone(upstreamModel: string): Promise<void> {
  await eventually(
    () => upstream.openFor(upstreamModel),
    (open) => open === 0,
  );
}

/**
 * Stops a process and connects to it until a connection attempt hangs twice: then its backlog is full. On loopback a connection is made at
 * once or not at all.
 */
async function freeze(listening: ListeningProcess): Promise<void> {
  listening.pause();
  for (let hanging = 0; hanging < 2;) {
    if (waiting.length > 5000) throw new Error("There is always room for another connection.");
    const socket = connect(listening.port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    waiting.push(socket);
    const connected = once(socket, "connect").then(() => true);
    let isConnected = await Promise.race([connected, Bun.sleep(300).then(() => false)]);
    // After a stall of this process, the timer may fire before the event of the new connection.
    isConnected ||= await Promise.race([connected, Bun.sleep(50).then(() => false)]);
    hanging = isConnected ? 0 : hanging + 1;
  }
}
