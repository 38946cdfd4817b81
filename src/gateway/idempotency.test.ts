import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { STORE_OPTIONS } from "../../test/support/gateway/store-options.ts";
import { LinkedServices } from "../../test/support/linked-services.ts";
import { hold, NOW, settlement } from "../../test/support/money/ledger-samples.ts";
import { chatOf } from "../../test/support/upstreams/upstream-call.ts";
import { issueKey, type KeyRecord } from "../access/api-key.ts";
import type { Exchange } from "../http/endpoint.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import { Secret } from "../lib/secret/secret.ts";
import { NO_CAPS, NO_LIMITS } from "../money/limits.ts";
import { ApiError } from "../requests/api-error.ts";
import { RequestNotes } from "../requests/request-notes.ts";
import { ClaimService } from "../stores/claims/claim-service.ts";
import type { ClaimStore } from "../stores/claims/claim-store.ts";
import { MemoryClaimStore } from "../stores/claims/memory-claim-store.ts";
import { SharedClaimStore } from "../stores/claims/shared-claim-store.ts";
import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import { openStores } from "../stores/open-stores.ts";
import type { Stores } from "../stores/stores.ts";
import { AuthorizationCache } from "./authentication-state.ts";
import type { Gateway } from "./gateway.ts";
import { replayOrServe } from "./idempotency.ts";

/** Claims and stored replies that are slow to read, as if from another process. */

const HASH_SECRET = new Secret("hash");
const WANTED = { name: "test", accountId: "acme", models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, expiresAtMs: null };
const UNREADABLE = { findReply: () => Promise.reject(new ApiError("overloaded", "The ledger cannot be read.")) };
const FAILURE = new ApiError("upstream_error", "The upstream failed.");

let folder: string;
let stores: Stores;
let caller: KeyRecord;
let isRevoked: boolean;
let gateway: Gateway;
let served: string[];
let requests = 0;
/** Requests wait for this promise before they are settled. */
let settling: PromiseWithResolvers<void> | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-idempotency-"));
  stores = await openStores({ ...STORE_OPTIONS, dataFolder: folder, nowMs: () => NOW });
});
afterAll(async () => {
  await stores.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  caller = issueKey(WANTED, HASH_SECRET, NOW).record;
  isRevoked = false;
  served = [];
  settling = undefined;
  const claims: ClaimStore = {
    async claim(...request) {
      await nextTurn();
      return stores.claims.claim(...request);
    },
    async find(scope) {
      await nextTurn();
      return stores.claims.find(scope);
    },
  };
  const ledger: Pick<LedgerStore, "findReply"> = {
    async findReply(...request) {
      await nextTurn();
      return stores.ledger.findReply(...request);
    },
  };
  gateway = {
    ...stores,
    claims,
    ledger,
    keys: { find: () => (isRevoked ? undefined : caller) },
    accountOf: () => ({ archivedAtMs: null }),
    hashSecret: HASH_SECRET,
    authorizationCache: new AuthorizationCache(),
    idempotencyLocks: new Set(),
    nowMs: () => NOW,
  } as unknown as Gateway;
});

/** Sends a request with the idempotency key "once". Of the served requests, the first `failures` fail. */
async function send(prompt = "hi", failures = 0, by = gateway): Promise<{ requestId: string; replayed: string | undefined }> {
  const requestId = `r${requests++}`;
  const headers = new Headers({ "idempotency-key": "once" });
  const notes = new RequestNotes();
  const exchange = { requestId, request: { headers, signal: { aborted: false } }, notes } as unknown as Exchange;
  await replayOrServe(caller, chatOf({ messages: [{ role: "user", content: prompt }] }), exchange, by, async (_, __, ___, ____, lock) => {
    served.push(requestId);
    await nextTurn();
    await settling?.promise;
    if (served.length <= failures) throw FAILURE;
    await stores.ledger.hold(hold(requestId, 10n));
    await stores.ledger.settle(
      requestId,
      settlement(7n),
      lock!.toReply({}, () => "{}"),
    );
    lock!.release();
    return new Reply("{}");
  });
  return { requestId, replayed: notes.replayed };
}

const isFree = async (): Promise<boolean> => (await stores.claims.find(`${caller.id}:once`)) === undefined;

test("of concurrent duplicates one is served, and the others receive its reply", async () => {
  const replies = await Promise.all(Array.from({ length: 10 }, () => send()));
  expect(served).toHaveLength(1);
  expect(replies.filter(({ replayed }) => replayed === served[0])).toHaveLength(9);
  expect([(await send()).replayed, served.length]).toEqual([served[0], 1]);
  expect([await isFree(), gateway.idempotencyLocks.size]).toEqual([true, 0]);
});

test("after a failure the next duplicate is served", async () => {
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => send("hi", 2)));
  expect(served).toHaveLength(3);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(2);
  expect([await isFree(), gateway.idempotencyLocks.size]).toEqual([true, 0]);
});

test("another body is rejected while the first is in flight, and after it", async () => {
  const first = send();
  expect(send("another prompt")).rejects.toThrow("another request body");
  await first;
  expect(send("another prompt")).rejects.toThrow("another request body");
  expect([served.length, await isFree()]).toEqual([1, true]);
});

test("a retry is replayed while a request with another body is rejected", async () => {
  await send();
  const results = await Promise.allSettled(["another prompt", "hi", "hi", "another prompt", "hi"].map((prompt) => send(prompt)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect([served.length, await isFree()]).toEqual([1, true]);
});

test("a key that is revoked while its request waits is rejected, and leaves no claim", async () => {
  const sending = Promise.allSettled([send(), send()]);
  while (served.length === 0) await nextTurn();
  isRevoked = true;
  const codes = (await sending).map((result) => (result.status === "rejected" ? (result.reason as ApiError).code : "served"));
  expect(codes).toContain("invalid_api_key");
  expect(await isFree()).toBe(true);
});

test("a ledger that cannot be read leaves no claim", async () => {
  gateway = { ...gateway, ledger: UNREADABLE } as unknown as Gateway;
  expect(send()).rejects.toThrow("cannot be read");
  expect([served, await isFree()]).toEqual([[], true]);
});

/** The gateways of two processes that share the owner's ledger. */
async function twoProcesses(): Promise<{ readonly link: LinkedServices; readonly gateways: readonly Gateway[] }> {
  const link = new LinkedServices(new ClaimService(stores.claims));
  const gateways: Gateway[] = [];
  for (const id of ["p1", "p2"]) gateways.push({ ...gateway, claims: await link.start(id, (owner) => new SharedClaimStore(owner)) });
  return { link, gateways };
}

const charged = (): bigint => stores.ledger.spendingOf("account", "acme", NOW).totalNanos;

describe("with two processes", () => {
  test("duplicates at both are served and charged once", async () => {
    const { link, gateways } = await twoProcesses();
    const before = charged();
    const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => send("hi", 0, gateways[at % 2])));
    expect([served.length, charged() - before]).toEqual([1, 7n]);
    expect(replies.filter(({ replayed }) => replayed === served[0])).toHaveLength(19);
    await link.idle();
    expect(await isFree()).toBe(true);
  });

  test("a request at one waits for that at the other, also while the owner is replaced", async () => {
    const { link, gateways } = await twoProcesses();
    settling = Promise.withResolvers();
    const first = send("hi", 0, gateways[0]);
    while (served.length === 0) await nextTurn();
    const second = send("hi", 0, gateways[1]);
    await link.idle();
    const claims = new MemoryClaimStore();
    await link.replaceOwner(new ClaimService(claims));
    await link.idle();
    expect(await claims.find(`${caller.id}:once`)).toMatchObject({ requestId: served[0] });
    settling.resolve();
    expect([(await first).replayed, (await second).replayed, served.length]).toEqual([undefined, served[0], 1]);
  });

  test("a retry of a request whose process was killed after its settlement receives its reply", async () => {
    const { link, gateways } = await twoProcesses();
    settling = Promise.withResolvers();
    void send("hi", 0, gateways[0]);
    while (served.length === 0) await nextTurn();
    const waiting = send("hi", 0, gateways[1]);
    await link.idle();
    link.disconnect("p1");
    const [retry] = await Promise.allSettled([send("hi", 0, gateways[1])]);
    expect(retry).toMatchObject({ reason: { code: "overloaded", retryAfterSeconds: 1 } });
    // The journal of the process has the settlement, and is applied before the process has ended.
    settling.resolve();
    while (!(await stores.ledger.findReply(`${caller.id}:once`, NOW))) await nextTurn();
    link.end("p1");
    expect([(await waiting).replayed, (await send("hi", 0, gateways[1])).replayed, served.length]).toEqual([served[0], served[0], 1]);
  });
});
