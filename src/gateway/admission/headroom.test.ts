import { beforeEach, expect, test } from "bun:test";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { makeAccount } from "../../access/account.ts";
import { issueKey, type KeyRecord } from "../../access/api-key.ts";
import type { Exchange } from "../../http/endpoint.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { plainModel } from "../../models/catalog.ts";
import { NO_CAPS, NO_LIMITS } from "../../money/limits.ts";
import { makePrice } from "../../money/price.ts";
import type { Purse } from "../../money/purse.ts";
import { RequestNotes } from "../../requests/request-notes.ts";
import type { NewHold } from "../../stores/ledger/ledger-store.ts";
import { AuthorizationCache } from "../authentication-state.ts";
import type { Gateway } from "../gateway.ts";
import type { Admission } from "./admission.ts";
import { admit } from "./admit.ts";

/** Admission in a process that has leased a part of the credit. */

const NOW = Date.parse("2027-03-10T12:00:00Z");
const RATE = 1_000_000n;
const RATES = { inputPicos: RATE, cachedInputPicos: RATE, cacheWritePicos: RATE, outputPicos: RATE, reasoningPicos: RATE };
const PRICE = makePrice({ effectiveAtMs: 0, source: "operator", rates: RATES, tiers: [] });
const MODEL = { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), prices: [PRICE], maxOutputTokens: 4000 };
const SHORT = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }], max_tokens: 10 });
const OPEN_LENGTH = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }] });
/** Far above the cost of any of these requests. */
const CREDIT = 10n ** 12n;

let available: bigint;
/** The amount that the authority grants for each request. */
let granted: (nanos: bigint) => bigint;
let elsewhere: bigint;
let credit: bigint;
let asked: { readonly purses: readonly Purse[]; readonly nanos: bigint }[];
let holds: NewHold[];
let isRevoked: boolean;

beforeEach(() => {
  available = 0n;
  granted = (nanos) => nanos;
  elsewhere = 0n;
  credit = CREDIT;
  asked = [];
  holds = [];
  isRevoked = false;
});

const ledger = {
  balanceOf: () => ({ creditNanos: credit, heldNanos: elsewhere }),
  spendingOf: () => ({ heldNanos: 0n, dayNanos: 0n, monthNanos: 0n, totalNanos: 0n }),
  leases: {
    availableOf: () => available,
    widen: async (purses: readonly Purse[], nanos: bigint) => {
      asked.push({ purses, nanos });
      available = granted(nanos);
    },
  },
  ensureCounted: () => undefined,
  hold: async (hold: NewHold) => void holds.push(hold),
};

const { record: CALLER } = issueKey(
  { name: "test", accountId: "acme", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null },
  new Secret("hash"),
  NOW,
);

const gateway = {
  ledger,
  hashSecret: new Secret("hash"),
  authorizationCache: new AuthorizationCache(),
  keys: { find: (id: string) => (id === CALLER.id && !isRevoked ? CALLER : undefined) },
  accountOf: () => makeAccount("acme", "acme", NOW),
  catalog: { snapshot: () => new Map([["m", MODEL]]) },
  upstreams: () => () => undefined,
  limits: { take: () => ({ end: () => undefined, undo: () => undefined }) },
  lastUsed: { noteModel: () => undefined },
  nowMs: () => NOW,
  monotonicMs: () => 5000,
} as unknown as Gateway;

function request(chat: typeof SHORT, caller: KeyRecord = CALLER): Promise<Admission> {
  const exchange = { requestId: "r1", request: { headers: new Headers() }, notes: new RequestNotes() } as unknown as Exchange;
  return admit(caller, chat, exchange, gateway);
}

test("a request that the slice covers asks for nothing", async () => {
  available = CREDIT;
  await request(OPEN_LENGTH);
  expect([asked, holds.length]).toEqual([[], 1]);
});

test("a request that the slice does not cover leases its cost bound first", async () => {
  await request(SHORT);
  expect(asked).toEqual([{ purses: [{ scope: "account", id: "acme" }], nanos: holds[0]!.amountNanos }]);
});

test("an answer of open length is not shortened to the slice of a large account", async () => {
  available = 100_000n;
  const admission = await request(OPEN_LENGTH);
  expect([admission.maxOutputTokens, asked.length]).toEqual([4000, 1]);
});

test("an answer of open length is shortened where the account has no more", async () => {
  granted = () => 100_000n;
  credit = 100_000n;
  const admission = await request(OPEN_LENGTH);
  expect(admission.maxOutputTokens).toBeGreaterThan(0);
  expect(admission.maxOutputTokens).toBeLessThan(4000);
  expect(holds[0]!.amountNanos).toBeLessThanOrEqual(100_000n);
});

test("a key's spend caps are leased with the account's credit", async () => {
  const capped = { ...CALLER, caps: { ...NO_CAPS, dayNanos: CREDIT } };
  const keys = { find: () => capped };
  const exchange = { requestId: "r1", request: { headers: new Headers() }, notes: new RequestNotes() } as unknown as Exchange;
  await admit(capped, SHORT, exchange, { ...gateway, keys });
  expect(asked[0]!.purses).toEqual([
    { scope: "account", id: "acme" },
    { scope: "key", id: CALLER.id },
  ]);
});

test("is rejected with insufficient_credits where no one has more, and with credits_in_flight where other processes hold it", async () => {
  granted = () => 0n;
  credit = 0n;
  const [without] = await Promise.allSettled([request(SHORT)]);
  expect(without).toMatchObject({ status: "rejected", reason: { code: "insufficient_credits" } });
  elsewhere = credit = CREDIT;
  const [inFlight] = await Promise.allSettled([request(SHORT)]);
  expect(inFlight).toMatchObject({ status: "rejected", reason: { code: "credits_in_flight", retryAfterSeconds: 2 } });
});

test("a key that is revoked while the lease is widened is rejected, and holds nothing", async () => {
  granted = (nanos) => {
    isRevoked = true;
    return nanos;
  };
  const [admitted] = await Promise.allSettled([request(SHORT)]);
  expect(admitted).toMatchObject({ status: "rejected", reason: { code: "invalid_api_key" } });
  expect(holds).toEqual([]);
});
