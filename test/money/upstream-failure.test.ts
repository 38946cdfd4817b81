import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { chunk, TEST_PRICE, usageChunk } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually, settled } from "../support/eventually.ts";
import { bodyPart, EVENTS_HEAD, reset, startRawUpstream, type RawUpstream } from "../streams/raw-upstream.ts";
import { accountNow, ledgerOf, type LedgerRow } from "./ledger-of.ts";
import { chatBody } from "./post-chat.ts";

function frame(event: string): string {
  return bodyPart(`data: ${event}\n\n`);
}

/** Tests the charge when an upstream fails mid-stream. */

const HELLO = chunk({ role: "assistant", content: "Hello world!" });
const COUNTS = { prompt_tokens: 40, completion_tokens: 3, total_tokens: 43 };
const TOO_LONG = JSON.stringify({ error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } });
const LARGE_TEXT = "x".repeat(64 * 1024);
const LARGE_PIECES = frame(chunk({ content: LARGE_TEXT })).repeat(16);

let upstream: RawUpstream;
let gateway: RunningGateway;
let key: string;
/** The upstream's connection of the last response that waits to be cut off. */
let begun: Socket | undefined;
/** The connection with back-pressure to the upstream, and the bytes written to it. */
let stalled: { readonly socket: Socket; pieces: number } | undefined;

beforeAll(async () => {
  upstream = await startRawUpstream({
    fails: (socket) => void (begun = socket).write(EVENTS_HEAD + frame(HELLO)),
    counts: (socket) => void (begun = socket).write(EVENTS_HEAD + frame(HELLO) + frame(usageChunk(COUNTS))),
    waits: writeUntilStopped,
    refuses: (socket) => void socket.write(EVENTS_HEAD + frame(HELLO) + frame(TOO_LONG), () => socket.end()),
  });
  const models = ["fails", "counts", "waits", "refuses"].map(
    (id) => `  - { id: ${id}, routes: [{ upstream: raw, model: ${id} }], price: ${TEST_PRICE} }`,
  );
  gateway = await startGateway({
    env: CANCELS,
    yaml: `upstreams:
  - { id: raw, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true }
models:
${models.join("\n")}
`,
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  upstream.stop();
});

async function writeUntilStopped(socket: Socket): Promise<void> {
  const here = { socket, pieces: 0 };
  stalled = here;
  socket.write(EVENTS_HEAD + frame(HELLO));
  while (!socket.destroyed) {
    if (socket.writableLength === 0) {
      socket.write(LARGE_PIECES);
      here.pieces++;
    }
    await Bun.sleep(1);
  }
}

interface Caller {
  readonly socket: Socket;
  readonly body: string;
  /** The start and the end of the data received so far. */
  readonly received: () => { readonly beginning: string; readonly end: string };
}

function call(model: string): Caller {
  const { hostname, port } = new URL(gateway.baseUrl);
  const body = chatBody(model, { stream: true });
  const socket = connect(Number(port), hostname);
  const received = { beginning: "", end: "" };
  socket.on("data", (bytes) => {
    const text = bytes.toString("latin1");
    received.beginning = (received.beginning + text).slice(0, 4096);
    received.end = (received.end + text).slice(-4096);
  });
  const head = ["POST /v1/chat/completions HTTP/1.1", `host: ${hostname}`, `authorization: Bearer ${key}`, "connection: close"];
  socket.write(`${[...head, "content-type: application/json", `content-length: ${Buffer.byteLength(body)}`].join("\r\n")}\r\n\r\n${body}`);
  return { socket, body, received: () => received };
}

/** Cuts off the response after the client has received its start: a reset may discard data that was not read before it. */
async function cutOff({ socket, received }: Caller): Promise<void> {
  await eventually(received, ({ beginning }) => beginning.includes("Hello world!"));
  reset(begun!);
  await once(socket, "close");
}

async function lastCharge(model: string): Promise<LedgerRow> {
  const ends = (): LedgerRow[] => ledgerOf(gateway).filter((row) => row.model === model && row.kind !== "hold");
  return (await eventually(ends, (rows) => rows.length > 0)).at(-1)!;
}

test("charges the received output, and not an estimated prompt", async () => {
  const caller = call("fails");
  await cutOff(caller);
  expect(caller.received().end).toContain("upstream_error");
  expect(await lastCharge("fails")).toMatchObject({
    kind: "settle",
    reason: "the upstream failed mid-stream",
    provenance: "estimated",
    prompt_tokens: 0n,
    completion_tokens: 3n,
  });
});

test("charges a prompt that the upstream has counted", async () => {
  await cutOff(call("counts"));
  expect(await lastCharge("counts")).toMatchObject({ kind: "settle", provenance: "partial", prompt_tokens: 40n, completion_tokens: 3n });
});

test("charges the prompt too where the upstream rejects the request mid-stream: filling the context must not make it free", async () => {
  const caller = call("refuses");
  await once(caller.socket, "close");
  expect(caller.received().end).toContain("context_length_exceeded");
  expect(await lastCharge("refuses")).toMatchObject({
    kind: "settle",
    reason: "the upstream rejected the request mid-stream",
    prompt_tokens: BigInt(Math.ceil(Buffer.byteLength(caller.body) / 4)),
    completion_tokens: 3n,
  });
});

test("charges a client that causes the failure by not reading like a disconnect", async () => {
  const { socket, body, received } = call("waits");
  await eventually(received, ({ beginning }) => beginning.includes("Hello world!"));
  socket.pause();
  await settled(async () => {
    // A gateway that is blocked reads nothing either.
    await accountNow(gateway);
    return stalled!.pieces;
  });
  reset(stalled!.socket);
  socket.resume();
  await once(socket, "close");
  expect(received().end).toContain("upstream_error");
  const charge = await lastCharge("waits");
  expect(charge).toMatchObject({
    kind: "settle",
    reason: "the upstream failed while the client was not reading",
    provenance: "estimated",
    prompt_tokens: BigInt(Math.ceil(Buffer.byteLength(body) / 4)),
  });
  expect(charge.completion_tokens).toBeGreaterThan(BigInt(LARGE_TEXT.length / 4));
});
