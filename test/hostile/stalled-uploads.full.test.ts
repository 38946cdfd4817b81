import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { eventually } from "../support/eventually.ts";
import { RawUpload, type UploadOptions } from "./raw-upload.ts";

/** Uploads that are never finished: they must take bounded memory, and other clients must be served meanwhile. */

const MIB = 1024 * 1024;
const UPLOADS = isLong ? 40 : 16;
const BODY_BYTES = 20 * MIB;

const CONFIG = {
  upstreams: [{ id: "echo", dialect: "echo" }],
  models: [
    { id: "paid", routes: [{ upstream: "echo", model: "echo" }], price: { input_per_million: 1, output_per_million: 2 } },
    { id: "free", routes: [{ upstream: "echo", model: "echo" }], free: true },
  ],
};

let gateway: RunningGateway;
let uploads: RawUpload[];
beforeEach(() => (uploads = []));
afterEach(async () => {
  for (const each of uploads) each.close();
  await gateway.stop();
});

async function start(env: Record<string, string> = {}): Promise<void> {
  gateway = await startGateway({ yaml: JSON.stringify(CONFIG), env });
}

/** A key of an account that has never had any credit. */
async function keyWithoutCredit(models: readonly string[]): Promise<string> {
  await gateway.platform("POST", "/api/accounts", { id: "poor", name: "Poor" });
  return (await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "poor", account: "poor", models })).key;
}

/** A key of a new account with a cent of credit. */
async function keyWithCredit(account: string): Promise<string> {
  await gateway.platform("POST", "/api/accounts", { id: account, name: account });
  await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: "0.01", reference: account, reason: "for tests" });
  return (await gateway.platform<{ key: string }>("POST", "/api/keys", { name: account, account, models: ["*"] })).key;
}

function upload(options: UploadOptions): RawUpload {
  const made = new RawUpload(gateway.baseUrl, options);
  uploads.push(made);
  return made;
}

/**
 * Starts this many uploads and sends all but the last byte of each, or as much as is accepted. Resolves when each upload is sent or
 * answered.
 */
async function stall(count: number, options: UploadOptions): Promise<RawUpload[]> {
  const piece = Buffer.alloc(options.length - 1, " ");
  const stalled = Array.from({ length: count }, () => upload(options));
  for (const each of stalled) each.send(piece);
  await eventually(
    () => stalled.filter((each) => !each.isSent && each.status === 0).length,
    (open) => open === 0,
  );
  return stalled;
}

function residentMib(): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))![1]) / 1024;
}

async function expectOthersServed(): Promise<void> {
  const { key } = await gateway.makeKey();
  expect((await postChat(gateway, key, chatBody("paid"))).status).toBe(200);
  const large = chatBody("paid", { max_tokens: 10, metadata: { text: "x".repeat(3 * MIB) } });
  expect((await postChat(gateway, key, large)).status).toBe(200);
}

const onLinux = test.skipIf(process.platform !== "linux");

onLinux(
  "a key that cannot pay for any model it may call is rejected before its body is received",
  async () => {
    await start();
    const before = residentMib();
    const stalled = await stall(UPLOADS, { key: await keyWithoutCredit(["paid"]), length: BODY_BYTES });
    await eventually(
      () => stalled.map(({ status, code }) => `${status} ${code}`),
      (replies) => replies.every((reply) => reply === "402 insufficient_credits"),
    );
    expect(residentMib() - before).toBeLessThan(150);
    await expectOthersServed();
  },
  120_000,
);

onLinux(
  "a key without credit that may call a free model has one body in memory at a time",
  async () => {
    await start();
    const before = residentMib();
    const key = await keyWithoutCredit(["*"]);
    const stalled = await stall(UPLOADS, { key, length: BODY_BYTES });
    const rejected = await eventually(
      () => stalled.filter(({ status }) => status !== 0),
      ({ length }) => length >= UPLOADS - 1,
    );
    expect(rejected.length).toBe(UPLOADS - 1);
    expect(new Set(rejected.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(["429 rate_limit_exceeded"]));
    expect(rejected[0]!.received).toMatch(/\r\nretry-after: 1\r\n/);
    expect(residentMib() - before).toBeLessThan(250);
    await expectOthersServed();

    // A body that arrives together with its headers needs no upload slot.
    expect((await postChat(gateway, key, chatBody("free"))).status).toBe(200);
    for (const each of stalled) each.close();
    const large = chatBody("free", { metadata: { text: "x".repeat(3 * MIB) } });
    await eventually(
      async () => (await postChat(gateway, key, large)).status,
      (status) => status === 200,
    );
  },
  120_000,
);

async function valueOf(metric: string): Promise<number> {
  const response = await fetch(`${gateway.platformUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
  const line = (await response.text()).split("\n").find((each) => each.startsWith(`${metric} `));
  return Number(line?.split(" ")[1]);
}

test("all bodies of a process share a memory budget: what exceeds it is rejected, and small requests are served", async () => {
  await start({ TOLLGATE_BODIES_MAX_BYTES: String(8 * MIB) });
  const { key } = await gateway.makeKey();
  for (let account = 0; account < 3; account++) await stall(1, { key: await keyWithCredit(`held-${account}`), length: 2 * MIB });
  const held = [...uploads];
  // Sent bytes may still be in the buffers of the system.
  await eventually(
    () => valueOf("tollgate_request_bodies_bytes"),
    (bytes) => bytes === 3 * (2 * MIB - 1),
  );
  const rejected = await stall(1, { key: await keyWithCredit("rejected"), length: 2 * MIB });
  await eventually(
    () => rejected.map(({ status, code }) => `${status} ${code}`),
    (replies) => replies.every((reply) => reply === "503 overloaded"),
  );
  expect(rejected[0]!.received).toMatch(/\r\nretry-after: 1\r\n/);
  expect(held.map(({ status }) => status)).toEqual([0, 0, 0]);
  expect((await postChat(gateway, key, chatBody("paid"))).status).toBe(200);
  expect(await valueOf('tollgate_uploads_rejected_total{reason="budget"}')).toBe(1);
  await eventually(
    () => valueOf("tollgate_request_bodies_bytes"),
    (bytes) => bytes === 3 * (2 * MIB - 1),
  );

  for (const each of uploads) each.close();
  await eventually(
    () => valueOf("tollgate_request_bodies_bytes"),
    (bytes) => bytes === 0,
  );
  await expectOthersServed();
}, 120_000);

test("one account has a quarter of the memory budget for unfinished uploads, and others are served meanwhile", async () => {
  await start({ TOLLGATE_BODIES_MAX_BYTES: String(8 * MIB) });
  const key = await keyWithCredit("attacker");
  const large = await stall(12, { key, length: MIB });
  const small = await stall(100, { key, length: 64 * 1024 });
  await eventually(
    () => [...large, ...small].filter(({ status }) => status === 0).length,
    (stalled) => stalled * 64 * 1024 <= 2 * MIB,
  );
  const rejected = large.find(({ status }) => status !== 0)!;
  expect(`${rejected.status} ${rejected.code} ${rejected.message}`).toBe(
    "503 overloaded The unfinished uploads of your account take its share of the memory for them. Please try again in 1s.",
  );
  expect(rejected.received).toMatch(/\r\nretry-after: 1\r\n/);
  expect(await valueOf("tollgate_request_bodies_bytes")).toBeLessThanOrEqual(2 * MIB);
  expect(await valueOf('tollgate_uploads_rejected_total{reason="account_share"}')).toBeGreaterThan(0);
  expect(await valueOf('tollgate_uploads_rejected_total{reason="budget"}')).toBe(0);
  await expectOthersServed();

  for (const each of uploads) each.close();
  await eventually(
    () => valueOf("tollgate_request_bodies_bytes"),
    (bytes) => bytes === 0,
  );
  expect((await postChat(gateway, key, chatBody("paid", { max_tokens: 1 }))).status).toBe(200);
}, 120_000);

test("operators can act while callers of models use up the memory budget", async () => {
  await start({ TOLLGATE_BODIES_MAX_BYTES: String(MIB) });
  for (let account = 0; account < 6; account++) {
    await stall(3, { key: await keyWithCredit(`account-${account}`), length: 64 * 1024 });
  }
  await eventually(
    () => valueOf('tollgate_uploads_rejected_total{reason="budget"}'),
    (rejected) => rejected > 0,
  );
  const name = "x".repeat(100);
  expect(await gateway.platform("POST", "/api/accounts", { id: "new", name })).toMatchObject({ id: "new", name });
}, 120_000);

test("an upload has a deadline, however often a byte is sent, and its caller receives the reason", async () => {
  await start({ TOLLGATE_UPLOAD_SECONDS: "1" });
  const { key } = await gateway.makeKey();
  const slow = upload({ key, length: 1000 });
  const drip = setInterval(() => slow.send("x"), 50);
  await eventually(
    () => slow.isClosed,
    (isClosed) => isClosed,
  );
  clearInterval(drip);
  expect([slow.status, slow.code, slow.message]).toEqual([
    400,
    "invalid_value",
    "The request body was not received within 1 seconds, the longest that an upload may take.",
  ]);
  expect(await valueOf('tollgate_uploads_rejected_total{reason="deadline"}')).toBe(1);
  expect(await valueOf("tollgate_request_bodies_bytes")).toBe(0);
}, 120_000);
