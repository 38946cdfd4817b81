import { afterEach, beforeEach, expect, test } from "bun:test";
import { aboutEntries } from "../crash/compare-logs.ts";
import { LAST_USAGE, startGatedUpstream, type GatedUpstream } from "../crash/gated-upstream.ts";
import { KillableGateway, quietPort } from "../crash/killable-gateway.ts";
import { readLedger, type LedgerRow } from "../crash/read-ledger.ts";
import { eventually } from "../support/eventually.ts";
import { isRunning, PROCESSES, untilServing } from "../support/gateway/gateway-processes.ts";
import { ProcessClient, type ProcessReply } from "../support/gateway/process-client.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { removeProcesses, startServing } from "./killed-processes.ts";

let gated: GatedUpstream;
let gateway: KillableGateway;
let pids: number[];
let key: string;

beforeEach(async () => {
  gated = startGatedUpstream();
  gateway = await KillableGateway.create({ yaml: configFor(gated.upstream.baseUrl, ["whole", "stream"]) });
  pids = await startServing(gateway);
  await gateway.grant("1000");
  ({ key } = await gateway.makeKey());
});

afterEach(async () => {
  await removeProcesses(gateway);
  await gated.upstream.stop();
});

/** Waits until all holds are closed, and this many of them were charged. */
async function untilSettled(count: number): Promise<LedgerRow[]> {
  const entries = await eventually(
    () => readLedger(gateway.databasePath),
    (rows) => rows.filter(({ kind }) => kind === "settle").length >= count && aboutEntries(rows).length === 0,
  );
  const settled = entries.filter(({ kind }) => kind === "settle");
  expect(settled).toHaveLength(count);
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  const { held } = await gateway.platform<{ held: string }>("GET", "/api/accounts/default");
  expect(held).toBe("0.00");
  return settled;
}

function calls(count: number): Promise<number> {
  return eventually(
    () => gated.upstream.requests.length,
    (made) => made >= count,
  );
}

test("the gateway processes outlive their owner, and serve under the next one", async () => {
  const clients = await ProcessClient.connectToEach(gateway, pids);
  const streaming = await ProcessClient.connectToEach(gateway, pids);
  const streams = streaming.map((client) => client.post(key, chatBody("stream", { stream: true })));
  await calls(PROCESSES);
  await gateway.kill();
  gated.open();
  for (const stream of await Promise.all(streams)) expect(stream.text).toEndWith("data: [DONE]\n\n");
  let answered = PROCESSES;
  // Their leases and the deadline of their last heartbeat allow more for a while. Afterwards they know too little to admit or reject
  // requests.
  for (const client of clients) {
    const refused = await eventually(
      () => client.postOnce(key, chatBody("whole", { max_tokens: 10 })),
      ({ status, code }) => {
        expect([200, 503]).toContain(status);
        if (status === 200) answered++;
        else expect(code).toBe("overloaded");
        return status === 503;
      },
    );
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    const unknown = await client.postOnce("sk-service-unknown", chatBody("whole"));
    expect(unknown.status).toBe(503);
  }
  await eventually(
    () => gateway.isReady(),
    (isReady) => !isReady,
  );
  expect(pids.filter(isRunning)).toEqual(pids);

  expect(new Set(await startServing(gateway))).toEqual(new Set(pids));
  const replies: ProcessReply[] = [];
  for (const client of clients) replies.push(await client.post(key, chatBody("whole", { max_tokens: 10 })));
  expect(replies.map(({ status, text }) => (status === 200 ? status : text))).toEqual(pids.map(() => 200));
  const settled = await untilSettled(answered + replies.length);
  const used = settled.filter((row) => row.completion_tokens === LAST_USAGE.completion_tokens);
  expect(used).toHaveLength(settled.length);
});

test("a gateway process that is killed is replaced, and its holds are closed", async () => {
  const clients = await ProcessClient.connectToEach(gateway, pids);
  const cut = clients[0]!.post(key, chatBody("stream", { stream: true })).catch(() => undefined);
  const others = clients.slice(1).map((client) => client.post(key, chatBody("whole")));
  await calls(PROCESSES);
  process.kill(pids[0]!, "SIGKILL");
  expect(await cut).toBeUndefined();
  const after = await eventually(
    () => untilServing(gateway),
    (serving) => !serving.includes(pids[0]!),
  );
  expect(pids.slice(1).every((pid) => after.includes(pid))).toBe(true);
  // The hold of the killed process is closed while the holds of the other processes are open.
  const [closed] = await eventually(
    () => readLedger(gateway.databasePath).filter(({ kind }) => kind === "settle" || kind === "release"),
    (rows) => rows.length === 1,
  );
  const [replacement] = await ProcessClient.connectToEach(
    gateway,
    after.filter((pid) => !pids.includes(pid)),
  );
  gated.open();
  for (const { status } of await Promise.all([...others, replacement!.post(key, chatBody("whole"))])) expect(status).toBe(200);
  // The hold is released, unless a busy machine gave the process more than its first second. After that, progress is recorded and charged.
  await untilSettled(PROCESSES + (closed!.kind === "settle" ? 1 : 0));
  expect(gateway.output).toContain("gateway_process_ended");
});

test("the next owner keeps the port of the processes, or replaces them where another is configured", async () => {
  await gateway.kill();
  // Without their owner the processes are ready for as long as they admit requests.
  expect(await gateway.isReady()).toBe(true);
  expect(new Set(await startServing(gateway, PROCESSES, { TOLLGATE_PORT: "0" }))).toEqual(new Set(pids));
  await gateway.kill();
  const other = await quietPort();
  gateway.spawn({ TOLLGATE_PROCESSES: String(PROCESSES), TOLLGATE_PORT: String(other) });
  const serving = await eventually(
    () => untilServing(gateway).catch(() => pids),
    (now) => now.every((pid) => !pids.includes(pid)),
  );
  expect(serving).toHaveLength(PROCESSES);
  await eventually(
    () => pids.filter(isRunning),
    (running) => running.length === 0,
  );
  expect((await fetch(`http://127.0.0.1:${other}/readyz`)).status).toBe(200);
  expect(await gateway.isReady()).toBe(false);
});
