import { afterEach, beforeEach, expect, test } from "bun:test";
import { startGatedUpstream, LAST_USAGE, type GatedUpstream } from "../crash/gated-upstream.ts";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { aboutEntries } from "../crash/compare-logs.ts";
import { readLedger } from "../crash/read-ledger.ts";
import { eventually, settled } from "../support/eventually.ts";
import { gatewayProcesses, isRunning, PROCESSES } from "../support/gateway/gateway-processes.ts";
import { ProcessClient, type ProcessReply } from "../support/gateway/process-client.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { hasOwnerSocket, processFolders, removeProcesses, startServing } from "./killed-processes.ts";

let gated: GatedUpstream;
let gateway: KillableGateway;
let pids: number[];
let key: string;
let clients: ProcessClient[];
let streams: Promise<ProcessReply | undefined>[];

beforeEach(async () => {
  gated = startGatedUpstream();
  const yaml = configFor(gated.upstream.baseUrl, ["whole", "stream"]);
  gateway = await KillableGateway.create({ yaml, env: { TOLLGATE_DRAIN_SECONDS: "100" } });
  pids = await startServing(gateway);
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
  clients = await ProcessClient.connectToEach(gateway, pids);
  streams = clients.map((client) => client.post(key, chatBody("stream", { stream: true })).catch(() => undefined));
  await eventually(
    () => gated.upstream.requests.length,
    (calls) => calls === PROCESSES,
  );
  // The owner counts the requests that its processes have reported.
  await eventually(
    () => gatewayProcesses(gateway),
    (all) => all.every(({ in_flight: inFlight }) => inFlight === 1),
  );
});

afterEach(async () => {
  await removeProcesses(gateway);
  await gated.upstream.stop();
});

async function untilPrinted(words: string): Promise<void> {
  await eventually(
    () => gateway.output,
    (output) => output.includes(words),
  );
}

/** The same request from the client at this position, each time it is called. */
function ask(client: ProcessClient, at: number): Promise<ProcessReply> {
  return client.post(key, chatBody("whole"), { "idempotency-key": `gone-${at}` });
}

/** Expects that everything has ended, and is in the ledger. */
function expectNothingLeft(): void {
  expect(pids.filter(isRunning)).toEqual([]);
  expect(processFolders(gateway)).toEqual([]);
  expect(hasOwnerSocket(gateway)).toBe(false);
  expect(aboutEntries(readLedger(gateway.databasePath))).toEqual([]);
}

test("SIGTERM completes the streams in flight in every process, and leaves nothing behind", async () => {
  gateway.signal("SIGTERM");
  await untilPrinted(`Finishing ${PROCESSES} requests, for up to 100 s. Send the signal again to stop now.`);
  expect(pids.filter(isRunning)).toEqual(pids);
  gated.open();
  for (const stream of await Promise.all(streams)) {
    expect(stream!.status).toBe(200);
    expect(stream!.text).toEndWith("data: [DONE]\n\n");
  }
  expect(await gateway.exited).toBe(0);
  expectNothingLeft();
  const charged = readLedger(gateway.databasePath).filter(({ kind }) => kind === "settle");
  expect(charged.map((row) => row.completion_tokens)).toEqual(pids.map(() => LAST_USAGE.completion_tokens));
});

test("a second SIGTERM cuts the streams in flight, and their holds are closed", async () => {
  gateway.signal("SIGTERM");
  await untilPrinted(`Finishing ${PROCESSES} requests, for up to 100 s. Send the signal again to stop now.`);
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  expect(await Promise.all(streams)).toEqual(pids.map(() => undefined));
  expect(pids.filter(isRunning)).toEqual([]);
  expect(hasOwnerSocket(gateway)).toBe(false);
  await gateway.start();
  expect(processFolders(gateway)).toEqual([]);
  const entries = readLedger(gateway.databasePath);
  expect(aboutEntries(entries)).toEqual([]);
  expect(entries.filter(({ kind }) => kind === "hold")).toHaveLength(PROCESSES);
  const { held } = await gateway.platform<{ held: string }>("GET", "/api/accounts/default");
  expect(held).toBe("0.00");
});

test("SIGTERM completes the responses that disconnected clients will ask for again under their idempotency keys", async () => {
  const leaving = await ProcessClient.connectToEach(gateway, pids);
  const cut = Promise.allSettled(leaving.map(ask));
  await eventually(
    () => gated.upstream.requests.length,
    (calls) => calls === 2 * PROCESSES,
  );
  for (const client of [...clients, ...leaving]) client.close();
  await cut;
  await eventually(
    () => gatewayProcesses(gateway),
    (all) => all.every(({ in_flight: inFlight }) => inFlight === 0),
  );
  gateway.signal("SIGTERM");
  await eventually(
    () => gateway.isReady(),
    (isReady) => !isReady,
  );
  // No client is connected any more. Without a response to complete, the processes would exit now.
  expect(await settled(() => pids.filter(isRunning).length)).toBe(PROCESSES);
  gated.open();
  expect(await gateway.exited).toBe(0);
  expectNothingLeft();

  const again = await ProcessClient.connectToEach(gateway, await startServing(gateway, PROCESSES));
  for (const { status, headers } of await Promise.all(again.map(ask))) {
    expect([status, headers.has("x-tollgate-replayed")]).toEqual([200, true]);
  }
  expect(gated.upstream.requests).toHaveLength(2 * PROCESSES);
});
