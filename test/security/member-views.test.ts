import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { operations } from "../../src/platform/operations.ts";
import type { Operation } from "../../src/platform/operation.ts";
import type { Actor } from "../../src/access/access.ts";
import { DAY_MS, grant, hold, settlement } from "../support/money/ledger-samples.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";
import { chargeOf, endedAt } from "../request-log/ended-samples.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { PLATFORM_ROUTES } from "./expected-access.ts";

const NOW = Date.parse("2027-03-10T12:00:00Z");
const REQUESTS = 5;
const requestLog = { ...STORE_OPTIONS.requestLog, days: 30, maxBytes: 1e9 };

/** An installation in which a member's account has the same history as in another installation, but other accounts have not. */
interface Installation {
  readonly platform: PlatformInProcess;
  readonly member: Actor;
  /** The IDs in paths, by the start of the path. */
  readonly ids: Readonly<Record<string, string>>;
}

let clockMs = NOW;

async function openInstallation(otherRequests: number): Promise<Installation> {
  clockMs = NOW - DAY_MS;
  const platform = await openPlatform(new Map(), { requestLog, nowMs: () => clockMs });
  const create = async (operationId: string, body: object): Promise<string> => {
    const { status, body: made, text } = await platform.call(OPERATOR, operationId, { body });
    expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
    return made["id"] as string;
  };
  await create("createUpstream", { id: "u", dialect: "openai", base_url: "https://models.example.com/v1", credential: "c" });
  await create("createAccount", { id: "acme", name: "Acme", models: ["m-*"] });
  await create("createAccount", { id: "noise", name: "Noise" });
  const key = await create("createKey", { name: "mine", account: "acme", models: ["*"] });
  for (let at = 0; at < REQUESTS; at++) {
    clockMs += 60_000;
    for (let other = 0; other < otherRequests; other++) await addTraffic(platform, "noise", "key-of-noise", `hidden-${at}-${other}`);
    for (let other = 0; other < otherRequests; other++) await create("createModel", modelNamed(`hidden-${at}-${other}`));
    await create("createModel", modelNamed(`m-${at}`));
    await addTraffic(platform, "acme", key, `own-${at}`);
  }
  clockMs = NOW;
  const newest = (await platform.call(OPERATOR, "listRequests", { query: "account=acme&limit=1" })).body["data"] as {
    request_id: string;
  }[];
  const member = memberOf("acme");
  const exported = (await platform.call(member, "createExport", { body: {} })).body["id"] as string;
  await eventually(
    () => platform.stores.exports.find(exported),
    (found) => found?.state === "done",
  );
  const ids = { keys: key, accounts: "acme", models: "m-1", receipts: "own-1", requests: newest[0]!.request_id, exports: exported };
  return { platform, member, ids };
}

function modelNamed(id: string): object {
  return { id, routes: [{ upstream: "u", model: id }], price: { input_per_million: 1, output_per_million: 2 } };
}

/** A grant, a charged request, and a rejected request. */
async function addTraffic({ stores }: PlatformInProcess, accountId: string, keyId: string, name: string): Promise<void> {
  const { ledger, ledgerRecords } = stores;
  await ledgerRecords.addCredit(grant(1_000_000n, { accountId, reference: name, atMs: clockMs }));
  await ledger.hold(hold(name, 100n, { accountId, keyId, actor: keyId, atMs: clockMs }));
  await ledger.settle(name, settlement(70n, { atMs: clockMs }));
  const notes = { accountId, keyId, requestedModel: "m-1" };
  stores.requestLog.note(endedAt(clockMs, 200, { ...notes, charge: chargeOf(70n) }));
  stores.requestLog.note(endedAt(clockMs, 429, { ...notes, code: "rate_limit_exceeded" }));
}

let quiet: Installation;
let busy: Installation;

beforeAll(async () => {
  quiet = await openInstallation(0);
  busy = await openInstallation(12);
});
afterAll(async () => {
  await quiet.platform.stop();
  await busy.platform.stop();
});

/** All operations by which a member can read data, except for data about the signed-in person. */
function looksOf({ platform }: Installation): Operation[] {
  return operations(platform.platform).filter(
    ({ method, path, reply }) =>
      method === "GET" &&
      !reply.isPage &&
      (PLATFORM_ROUTES[`${method} ${path}`] ?? "").match(/^(member with|signed-in)/) &&
      path !== "/api/me",
  );
}

/** Every page of an operation's data, without random parts: random IDs, and cursors except for their length. */
async function view({ platform, member, ids }: Installation, { operationId, path, query }: Operation): Promise<string[]> {
  const [, , noun] = path.split("/");
  const params = { id: ids[noun!]!, requestId: ids[noun!]! };
  const isPaged = typeof query === "object" && "cursor" in query;
  const pages: string[] = [];
  for (let cursor: string | null | undefined = undefined; cursor !== null;) {
    const asked = new URLSearchParams({ ...(isPaged && { limit: "2" }), ...(cursor !== undefined && { cursor }) }).toString();
    const { status, text, body } = await platform.call(member, operationId, { params, query: asked });
    expect([operationId, status]).toEqual([operationId, 200]);
    pages.push(withoutRandom(text, ids));
    cursor = (body["next"] as string | null | undefined) ?? null;
  }
  return pages;
}

function withoutRandom(text: string, { keys }: Installation["ids"]): string {
  return text
    .replaceAll(keys!, "KEY")
    .replaceAll(/"(next|newer)":"([^"]*)"/g, (_, name: string, cursor: string) => `"${name}":${cursor.length}`)
    .replaceAll(/req_[\da-f-]{36}/g, "REQUEST")
    .replaceAll(/exp_\w{22}/g, "EXPORT");
}

test("the replies to a member are byte-identical, whatever other accounts have done", async () => {
  const [looks, others] = [looksOf(quiet), looksOf(busy)];
  expect(looks.length).toBeGreaterThan(12);
  for (const [at, operation] of looks.entries()) {
    expect({ [operation.operationId]: await view(busy, others[at]!) }).toEqual({ [operation.operationId]: await view(quiet, operation) });
  }
});

test("the replies of an unused account do not reveal the traffic of others", async () => {
  const empty = { ...quiet, member: memberOf("noise"), ids: { ...quiet.ids, accounts: "noise" } };
  const fresh = await openPlatform(new Map(), { requestLog, nowMs: () => NOW });
  try {
    const requests = operations(quiet.platform.platform).find(({ operationId }) => operationId === "listRequests")!;
    expect(await view({ ...empty, platform: fresh }, requests)).toEqual(await view(empty, requests));
  } finally {
    await fresh.stop();
  }
});

test("members see the entries of their account numbered from 1, across pages", async () => {
  const numbersOf = async (limit: number): Promise<number[]> => {
    const numbers: number[] = [];
    for (let query: string | undefined = `limit=${limit}`; query !== undefined;) {
      const { body } = await busy.platform.call(busy.member, "listEntries", { params: { id: "acme" }, query });
      numbers.push(...(body["data"] as { number: number }[]).map(({ number }) => number));
      query = body["next"] === null ? undefined : `limit=${limit}&cursor=${body["next"] as string}`;
    }
    return numbers;
  };
  const all = Array.from({ length: 2 * REQUESTS }, (_, at) => 2 * REQUESTS - at);
  expect([await numbersOf(1000), await numbersOf(1), await numbersOf(3)]).toEqual([all, all, all]);
  const { body } = await busy.platform.call(memberOf("default"), "listEntries", { params: { id: "default" } });
  expect(body).toEqual({ data: [], next: null });
});

test("rejects a cursor of another account or list, and a modified one", async () => {
  const cursorOf = async (actor: Actor, operationId: string): Promise<string> => {
    const { body } = await busy.platform.call(actor, operationId, { params: { id: "acme" }, query: "limit=1" });
    return body["next"] as string;
  };
  const use = async (actor: Actor, operationId: string, cursor: string): Promise<number> =>
    (await busy.platform.call(actor, operationId, { params: { id: actor.accountId ?? "acme" }, query: `limit=1&cursor=${cursor}` })).status;
  const ofAcme = await cursorOf(OPERATOR, "listEntries");
  const used = await busy.platform.call(OPERATOR, "listEntries", { params: { id: "noise" }, query: `cursor=${ofAcme}` });
  expect([await use(OPERATOR, "listEntries", ofAcme), used.status]).toEqual([200, 400]);
  const own = await cursorOf(busy.member, "listEntries");
  expect(await use(busy.member, "listEntries", own)).toBe(200);
  expect(await use(memberOf("noise"), "listEntries", own)).toBe(400);
  expect(await use(OPERATOR, "listEntries", own)).toBe(400);
  expect(await use(busy.member, "listEntries", await cursorOf(busy.member, "listAnnouncements"))).toBe(400);
  expect(await use(busy.member, "listEntries", Buffer.from("[7]").toString("base64url"))).toBe(400);
  expect(await use(busy.member, "listEntries", `${own.slice(0, 20)}${own[20] === "A" ? "B" : "A"}${own.slice(21)}`)).toBe(400);
});
