import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STORE_OPTIONS } from "../../../test/support/gateway/store-options.ts";
import { grant } from "../../../test/support/money/ledger-samples.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { makeAccount } from "../../access/account.ts";
import { issueKey, type KeyRecord } from "../../access/api-key.ts";
import { ownChange } from "../../access/change.ts";
import type { Exchange } from "../../http/endpoint.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { plainModel } from "../../models/catalog.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import { NO_CAPS, readRates } from "../../money/limits.ts";
import { makePrice } from "../../money/price.ts";
import { RequestNotes } from "../../requests/request-notes.ts";
import type { LimitStore } from "../../stores/limits/limit-store.ts";
import { openStores } from "../../stores/open-stores.ts";
import type { Stores } from "../../stores/stores.ts";
import { AuthorizationCache } from "../authentication-state.ts";
import type { Gateway } from "../gateway.ts";
import type { Admission } from "./admission.ts";
import { admit, assess } from "./admit.ts";
import { limitScopes } from "./rate-limits.ts";

/** Admission while another process counts the rate limits. */

const NOW = Date.parse("2027-03-10T12:00:00Z");
const RATE = 1_000_000n;
const RATES = { inputPicos: RATE, cachedInputPicos: RATE, cacheWritePicos: RATE, outputPicos: RATE, reasoningPicos: RATE };
const CHAT = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }], max_tokens: 10 });

let folder: string;
let stores: Stores;
let gateway: Gateway;
let answer: () => void;
let accounts = 0;
const revoked = new Set<string>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-admit-"));
  stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder, nowMs: () => NOW });
  const price = makePrice({ effectiveAtMs: 0, source: "operator", rates: RATES, tiers: [] });
  const model = { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), prices: [price] };
  const upstream = remoteAt("u", undefined, { baseUrl: "https://llm.example/v1", allowPrivate: false }, []);
  await stores.catalog.declare("environment", () => ({
    declared: { upstreams: [upstream], catalog: new Map([["m", model]]) },
    announcements: [],
  }));
});

afterAll(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  const local = stores.emptyLimits();
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  answer = resolve;
  const limits: LimitStore = {
    take: (...asked) => answered.then(() => local.take(...asked)),
    refusalOf: (...asked) => local.refusalOf(...asked),
    state: (...asked) => local.state(...asked),
  };
  gateway = {
    ...stores,
    limits,
    keys: { find: (id: string) => (revoked.has(id) ? undefined : stores.keys.find(id)) },
    hashSecret: new Secret("hash"),
    authorizationCache: new AuthorizationCache(),
    accountOf: (caller: KeyRecord) => stores.accounts.find(caller.accountId)!,
    upstreams: () => () => undefined,
    nowMs: () => NOW,
    monotonicMs: () => 5000,
  } as unknown as Gateway;
});

/** A key of a new account with this credit. */
async function makeCaller(creditNanos: bigint): Promise<KeyRecord> {
  const accountId = `account-${accounts++}`;
  const change = ownChange("test", { kind: "account", id: accountId }, null, NOW);
  await stores.accounts.update(accountId, () => ({ record: makeAccount(accountId, accountId, NOW), change }));
  await stores.ledgerRecords.addCredit(grant(creditNanos, { accountId }));
  const limits = readRates({ requests_per_minute: 10 });
  const wanted = { name: "test", accountId, models: ["*"], limits, caps: NO_CAPS, expiresAtMs: null };
  const { record } = issueKey(wanted, gateway.hashSecret, NOW);
  await stores.keys.add(record, change);
  return stores.keys.find(record.id)!;
}

function request(caller: KeyRecord, requestId: string): Promise<Admission> {
  const exchange = { requestId, request: { headers: new Headers() }, notes: new RequestNotes() } as unknown as Exchange;
  return admit(caller, CHAT, exchange, gateway);
}

const remainingRequests = (caller: KeyRecord): number =>
  gateway.limits.state(limitScopes(caller, gateway.accountOf(caller)), 5000).requests!.remaining;

test("concurrent requests do not overspend, and the rejected one does not count against the rate limit", async () => {
  const rich = await makeCaller(10n ** 12n);
  const { amountNanos } = assess({ caller: rich, modelRequest: CHAT, headers: new Headers(), attribution: undefined }, gateway).hold;
  const caller = await makeCaller(amountNanos + amountNanos / 2n);
  const admitting = Promise.allSettled([request(caller, "r1"), request(caller, "r2")]);
  answer();
  const [first, second] = await admitting;
  expect([first.status, second.status]).toEqual(["fulfilled", "rejected"]);
  expect((second as PromiseRejectedResult).reason).toMatchObject({ code: "credits_in_flight" });
  expect(stores.ledger.balanceOf(caller.accountId).heldNanos).toBe(amountNanos);
  expect(remainingRequests(caller)).toBe(9);
});

test("a key that is revoked while the rate limits are counted is rejected, and holds nothing", async () => {
  const caller = await makeCaller(10n ** 12n);
  const admitting = Promise.allSettled([request(caller, "r3")]);
  revoked.add(caller.id);
  answer();
  expect((await admitting)[0]).toMatchObject({ status: "rejected", reason: { code: "invalid_api_key" } });
  expect(stores.ledger.balanceOf(caller.accountId).heldNanos).toBe(0n);
  expect(remainingRequests(caller)).toBe(10);
});

test("a model that is unknown or restricted to other accounts is looked up at the other processes, and no other", async () => {
  const caller = await makeCaller(10n ** 12n);
  answer();
  let lookups = 0;
  gateway = {
    ...gateway,
    catchUp: async () => {
      lookups++;
    },
  };
  await request(caller, "open");
  expect(lookups).toBe(0);
  const catalog = stores.catalog.snapshot();
  const restricted = new Map([["m", { ...catalog.get("m")!, accounts: new Set(["others"]) }]]);
  for (const [at, known] of [restricted, new Map()].entries()) {
    Object.assign(gateway, { catalog: { ...stores.catalog, snapshot: () => (lookups > at ? catalog : known) } });
    await request(caller, `looked-up-${at}`);
    expect(lookups).toBe(at + 1);
  }
});
