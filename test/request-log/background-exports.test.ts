import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../src/access/access.ts";
import { makeExport } from "../../src/access/request-export.ts";
import { ExportPace, writeExport } from "../../src/platform/endpoints/exports.ts";
import { eventually } from "../support/eventually.ts";
import { memberOf, openPlatform, OPERATOR, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { chargeOf, endedAt } from "./ended-samples.ts";

const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };
const ACME = memberOf("acme");
const DAY_MS = 86_400_000;

let folder: string;
let open: PlatformInProcess;
let laterMs: number;

const start = (): Promise<PlatformInProcess> => openPlatform(new Map(), { folder, requestLog, nowMs: () => Date.now() + laterMs });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-exports-"));
  laterMs = 0;
  open = await start();
});
afterEach(async () => {
  await open.stop();
  rmSync(folder, { recursive: true });
});

function note(count: number): void {
  const startMs = Date.now() - 60_000;
  for (let at = 0; at < count; at++) {
    const notes = {
      accountId: at % 2 === 0 ? "acme" : "other",
      keyId: "key-a",
      requestedModel: `model-${at % 3}`,
      attribution: { user: `user-${at % 5}` },
    };
    open.stores.requestLog.note(endedAt(startMs + at, at % 7 === 0 ? 429 : 200, { ...notes, charge: chargeOf(BigInt(at), "hidden-u") }));
  }
}

const params = (id: string): { params: { id: string } } => ({ params: { id } });

async function create(body: object, actor: Actor = OPERATOR): Promise<string> {
  const { status, text, body: made } = await open.call(actor, "createExport", { body });
  expect([status, text]).toEqual([201, expect.stringContaining('"running"')]);
  return made["id"] as string;
}

async function ended(id: string, actor: Actor = OPERATOR): Promise<Record<string, unknown>> {
  const { body } = await eventually(
    () => open.call(actor, "showExport", params(id)),
    (shown) => shown.body["state"] !== "running",
  );
  return body;
}

const download = (id: string, actor: Actor = OPERATOR): Promise<CallResult> => open.call(actor, "downloadExport", params(id));

/** Blocks every read of the log until it is released, so that an export keeps running. */
function holdReads(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { requestLog: log } = open.stores;
  const list = log.list.bind(log);
  log.list = async (...query) => {
    await promise;
    return list(...query);
  };
  return resolve;
}

test("an export has exactly the requests of the filtered list, while new ones arrive", async () => {
  note(1500);
  const noise = setInterval(
    () => open.stores.requestLog.note(endedAt(Date.now() + 60_000, 200, { accountId: "acme", keyId: "key-a", requestedModel: "model-1" })),
    1,
  );
  try {
    const ids = [
      await create({ format: "jsonl", account: "acme", model: "model-1" }),
      await create({ min_cost: "0.000001", outcome: "complete" }),
    ];
    const done = await ended(ids[0]!);
    expect(done).toMatchObject({ state: "done", rows: 250, total: 250, error: null });
    const query = `order=oldest&limit=1000&account=acme&model=model-1&to=${done["created_at"] as string}`;
    const { body: list } = await open.call(OPERATOR, "listRequests", { query });
    const lines = (await download(ids[0]!)).text.split("\n").slice(0, -1);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(list["data"] as unknown[]);
    await ended(ids[1]!);
    const to = new Date(Date.now() - 5000).toISOString();
    const direct = await open.call(OPERATOR, "exportRequests", { query: `min_cost=0.000001&outcome=complete&to=${to}` });
    expect((await download(ids[1]!)).text).toBe(direct.text);
  } finally {
    clearInterval(noise);
  }
});

test("a member's export has the requests and columns that the member sees", async () => {
  note(100);
  const id = await create({}, ACME);
  expect(await ended(id, ACME)).toMatchObject({ state: "done", rows: 50 });
  const direct = await open.call(ACME, "exportRequests", {});
  const { text } = await download(id, ACME);
  expect(text).toBe(direct.text);
  expect(text).not.toContain("hidden-u");
  const foreign = await create({ account: "other" }, ACME);
  expect(await ended(foreign, ACME)).toMatchObject({ state: "done", rows: 0, total: 0 });
});

test("an export is for the person who made it, as long as they may see its requests", async () => {
  note(20);
  const [own, operators] = [await create({}, ACME), await create({ account: "acme" })];
  await Promise.all([ended(own, ACME), ended(operators)]);
  const demoted: Actor = { ...OPERATOR, role: "member", accountId: "acme" };
  const moved: Actor = { ...ACME, accountId: "other" };
  const colleague: Actor = { ...ACME, id: "person_colleague" };
  for (const [id, actor] of [
    [own, OPERATOR],
    [own, moved],
    [own, colleague],
    [operators, ACME],
    [operators, demoted],
  ] as const) {
    for (const operationId of ["showExport", "downloadExport", "cancelExport", "removeExport"]) {
      const { status, body } = await open.call(actor, operationId, params(id));
      expect([operationId, status, body["code"]]).toEqual([operationId, 404, "unknown_export"]);
    }
    const { body } = await open.call(actor, "listExports");
    expect(JSON.stringify(body)).not.toContain(id);
  }
  const promoted: Actor = { ...ACME, role: "operator", accountId: null };
  const token: Actor = { ...ACME, id: "token", personId: ACME.id, scopes: ["usage:read"] };
  for (const actor of [ACME, promoted, token]) expect((await download(own, actor)).status).toBe(200);
});

test("a cancelled export stops, has no file, and can be deleted", async () => {
  note(20);
  const release = holdReads();
  const id = await create({});
  const early = await download(id);
  expect([early.status, early.text]).toEqual([404, "The export has no file: it is running."]);
  const { body } = await open.call(OPERATOR, "cancelExport", params(id));
  expect(body).toMatchObject({ state: "cancelled", rows: 0 });
  release();
  expect((await open.call(OPERATOR, "cancelExport", params(id))).body).toMatchObject({ state: "cancelled" });
  expect(readdirSync(join(folder, "exports"))).toEqual([`${id}.json`]);
  expect((await open.call(OPERATOR, "removeExport", params(id))).status).toBe(200);
  expect(readdirSync(join(folder, "exports"))).toEqual([]);
  expect((await open.call(OPERATOR, "showExport", params(id))).status).toBe(404);
});

test("after a restart, an export that was done is there, and one that was running is interrupted", async () => {
  note(20);
  const done = await create({});
  await ended(done);
  const { text } = await download(done);
  const release = holdReads();
  const running = await create({});
  await open.stop();
  release();
  open = await start();
  expect((await open.call(OPERATOR, "showExport", params(running))).body).toMatchObject({ state: "interrupted", bytes: 0 });
  expect((await download(done)).text).toBe(text);
});

test("an export is deleted after a day", async () => {
  note(20);
  const id = await create({});
  const { created_at: createdAt, expires_at: expiresAt } = await ended(id);
  expect(Date.parse(expiresAt as string) - Date.parse(createdAt as string)).toBe(DAY_MS);
  laterMs = DAY_MS;
  expect((await download(id)).status).toBe(404);
  expect(readdirSync(join(folder, "exports"))).toEqual([]);
});

test("a person has five exports at most", async () => {
  for (let at = 0; at < 5; at++) await ended(await create({}));
  const { status, body, text } = await open.call(OPERATOR, "createExport", { body: {} });
  expect([status, body["code"], text]).toEqual([409, "state_conflict", "You have 5 exports. Delete one first."]);
  await create({}, ACME);
});

test("an export that is too large, or whose log cannot be read, fails with the reason", async () => {
  note(20);
  const wanted = { ownerId: OPERATOR.id, role: "operator", accountId: null, format: "csv", filters: {} } as const;
  const large = makeExport(wanted, Date.now());
  await open.platform.exports.add(large);
  await writeExport({ written: large, filter: {}, actor: OPERATOR, pace: new ExportPace(), maxBytes: 1000 }, open.platform);
  expect(await ended(large.id)).toMatchObject({ state: "failed", bytes: 0, error: expect.stringContaining("larger than 1 GiB") as string });
  const failure = new Error("a secret path");
  open.stores.requestLog.list = () => Promise.reject(failure);
  const reportFailure = spyOn(open.platform, "reportFailure");
  const unread = await create({});
  expect(await ended(unread)).toMatchObject({ state: "failed", error: "The export could not be written. Try again later." });
  expect(reportFailure.mock.calls).toEqual([[`the export ${unread} could not be written`, failure]]);
});

test("filters are checked as in the list, and unknown fields are refused", async () => {
  const refused = [
    [{ upstream: "u" }, ACME, 403],
    [{ error: "x" }, ACME, 403],
    [{ from: "tomorrow" }, OPERATOR, 400],
    [{ min_tokens: 5, max_tokens: 4 }, OPERATOR, 400],
    [{ sort: "cost" }, OPERATOR, 400],
    [{ format: "xlsx" }, OPERATOR, 400],
  ] as const;
  for (const [body, actor, status] of refused) {
    expect([body, (await open.call(actor, "createExport", { body })).status]).toEqual([body, status]);
  }
  expect((await open.call(OPERATOR, "listExports")).body).toEqual({ data: [] });
});

test("erasing an end user deletes the exports that may name it", async () => {
  note(20);
  const kept = await create({ account: "other" });
  const ids = [await create({}), await create({ account: "acme" })];
  for (const id of [kept, ...ids]) await ended(id);
  await open.call(OPERATOR, "createAccount", { body: { id: "acme", name: "Acme" } });
  expect((await open.call(OPERATOR, "eraseEndUser", { params: { id: "acme" }, body: { user: "user-1" } })).status).toBe(200);
  const { body } = await open.call(OPERATOR, "listExports");
  expect((body["data"] as { id: string }[]).map(({ id }) => id)).toEqual([kept]);
});
