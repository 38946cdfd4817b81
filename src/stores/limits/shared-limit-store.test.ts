import { describe, expect, test } from "bun:test";
import { eventually } from "../../../test/support/eventually.ts";
import { isLong } from "../../../test/support/long.ts";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { isTicket, startProcesses, tryTake } from "../../../test/support/money/shared-limits.ts";
import { ConnectionLost } from "../../lib/ipc/ipc-connection.ts";
import type { IpcPeer } from "../../lib/ipc/ipc-service.ts";
import { yieldToEventLoop } from "../ledger/commit/yield-to-event-loop.ts";
import { viewRates } from "../../money/limits.ts";
import { LimitService } from "./limit-service.ts";
import { limitStoreContract, scope } from "./limit-store.contract.ts";
import type { LimitScope, LimitStates, LimitStore, LimitTicket } from "./limit-store.ts";
import { remoteLimitAuthority } from "./remote-limit-authority.ts";
import { SharedLimitStore } from "./shared-limit-store.ts";

/** The fraction of the contract's runs: each of their steps takes several turns of the event loop. */
const SHARE = isLong ? 1 : 0.08;

/** The owner uses the test's clock, because processes send no times. LimitSlices are also cut from the small limits of the contract tests. */
for (const requestsPerSlice of [1, 8]) {
  limitStoreContract(
    `SharedLimitStore with slices of ${requestsPerSlice} or more`,
    async () => {
      let nowMs = 0;
      const monotonicMs = (): number => nowMs;
      const link = new LinkedServices(new LimitService({ monotonicMs, requestsPerSlice }));
      const shared = await link.start("p1", (owner) => new SharedLimitStore(remoteLimitAuthority(owner), monotonicMs));
      const store: LimitStore = {
        take: (scopes, tokens, atMs) => {
          nowMs = atMs;
          return shared.take(scopes, tokens);
        },
        refusalOf: (scopes, tokens, atMs) => {
          nowMs = atMs;
          return shared.refusalOf(scopes, tokens);
        },
        state: (...asked) => shared.state(...asked),
      };
      return { store, cleanUp: () => link.idle() };
    },
    SHARE,
  );
}

limitStoreContract("OwnerLimitStore", async () => {
  let nowMs = 0;
  const { local } = new LimitService({ monotonicMs: () => nowMs });
  const store: LimitStore = {
    take: (scopes, tokens, atMs) => local.take(scopes, tokens, (nowMs = atMs)),
    refusalOf: (scopes, tokens, atMs) => local.refusalOf(scopes, tokens, (nowMs = atMs)),
    state: (...asked) => local.state(...asked),
  };
  return { store, cleanUp: async () => undefined };
});

const MINUTE_MS = 60_000;

async function taken(store: SharedLimitStore, scopes: readonly LimitScope[], tokens = 1): Promise<LimitTicket> {
  const result = await store.take(scopes, tokens);
  if (!isTicket(result)) throw new Error(`rejected because of ${result.what}`);
  return result;
}

/** The number of processes that would admit a request now. */
async function admitting(stores: readonly SharedLimitStore[], scopes: readonly LimitScope[]): Promise<number> {
  const refusals = await Promise.all(stores.map(async (store) => store.refusalOf(scopes, 1)));
  return refusals.filter((refusal) => refusal === undefined).length;
}

describe("several processes", () => {
  test("admit exactly the limit together, and ask once in a turn of the event loop", async () => {
    const { shared, stores } = await startProcesses(4);
    const scopes = [scope("key", "k", { requests_per_minute: 60 }), scope("account", "a", {})];
    const results = await Promise.all(stores.flatMap((store) => Array.from({ length: 40 }, async () => store.take(scopes, 1))));
    expect(results.filter(isTicket)).toHaveLength(60);
    expect(shared.calls).toBe(4);
    expect(results.find((result) => !isTicket(result))).toEqual({ scope: scopes[0]!, what: "requests", waitMs: MINUTE_MS, remaining: 0 });
  });

  test("never ask for a key without limits, not even where the owner is away", async () => {
    const { shared, stores } = await startProcesses(1);
    shared.link.loseOwner();
    const scopes = [scope("key", "k", {}), scope("account", "a", {})];
    expect(stores[0]!.take(scopes, 1)).not.toBeInstanceOf(Promise);
    expect(stores[0]!.refusalOf(scopes, 1)).toBeUndefined();
    await shared.link.idle();
    expect(shared.calls).toBe(0);
  });

  test("count with the owner's own requests", async () => {
    const { shared, stores } = await startProcesses(1);
    const scopes = [scope("key", "k", { requests_per_minute: 2 })];
    await taken(stores[0]!, scopes);
    const nowMs = 90_000;
    expect(isTicket(await shared.local.take(scopes, 1, nowMs))).toBe(true);
    expect(await stores[0]!.take(scopes, 1)).toMatchObject({ what: "requests" });
  });

  test("report what the others have used, until that is a minute ago", async () => {
    const { shared, stores } = await startProcesses(2);
    const scopes = [scope("key", "k", { requests_per_minute: 10, tokens_per_minute: 100 })];
    const ticket = await taken(stores[0]!, scopes, 30);
    shared.nowMs += 1000;
    const at = (store: SharedLimitStore): LimitStates => store.state(scopes, shared.clockOf(store));
    expect(at(stores[1]!)).toEqual({ requests: undefined, tokens: undefined });
    await stores[1]!.refusalOf(scopes, 1);
    const seen = { requests: { limit: 10, remaining: 9, resetMs: 59_000 }, tokens: { limit: 100, remaining: 70, resetMs: 59_000 } };
    expect(stores.map(at)).toEqual([seen, seen]);
    ticket.end(10);
    expect(at(stores[0]!).tokens).toMatchObject({ remaining: 90 });
    (await taken(stores[1]!, scopes, 5)).end(5);
    expect(at(stores[1]!)).toEqual({
      requests: { limit: 10, remaining: 8, resetMs: MINUTE_MS },
      tokens: { limit: 100, remaining: 85, resetMs: MINUTE_MS },
    });
    shared.nowMs += 59_000;
    await stores[1]!.refusalOf(scopes, 1);
    expect(at(stores[1]!)).toMatchObject({ requests: { remaining: 9, resetMs: 1000 }, tokens: { remaining: 95, resetMs: 1000 } });
    shared.nowMs += 59_999;
    expect(at(stores[1]!)).toMatchObject({ requests: { remaining: 10, resetMs: 0 }, tokens: { remaining: 100, resetMs: 0 } });
    shared.nowMs += 1;
    expect(at(stores[1]!)).toEqual({ requests: undefined, tokens: undefined });
  });
});

describe("an owner that is away", () => {
  const scopes = [scope("key", "k", { requests_per_minute: 1 })];

  test("causes a 503 with Retry-After, for new requests and for those that wait", async () => {
    const { shared, stores } = await startProcesses(1);
    const waiting = stores[0]!.take(scopes, 1);
    shared.link.loseOwner();
    const asks = [() => waiting, () => stores[0]!.take(scopes, 1), () => stores[0]!.refusalOf(scopes, 1)];
    for (const result of await Promise.allSettled(asks.map(async (ask) => ask()))) {
      expect(result).toMatchObject({ status: "rejected", reason: { code: "overloaded", status: 503, retryAfterSeconds: 1 } });
    }
  });

  test("does not count a request whose admission was lost on the way", async () => {
    const { shared, stores } = await startProcesses(2);
    const waiting = tryTake(stores[0]!, scopes);
    // The owner has received the request, and its reply is in flight.
    while (shared.local.state(scopes, 90_000).requests!.remaining > 0) await yieldToEventLoop();
    shared.link.disconnect("p1");
    expect(await waiting).toBeUndefined();
    expect(await admitting(stores.slice(1), scopes)).toBe(0);
    await shared.link.reconnect("p1");
    await shared.link.idle();
    expect(await admitting(stores, scopes)).toBe(2);
  });

  test("is asked to undo what it has not answered in time", async () => {
    const turns: unknown[] = [];
    const slow: Pick<IpcPeer, "call"> = {
      call: async (_, turn) => {
        turns.push(turn);
        if (turns.length === 1) throw new ConnectionLost("not answered in time");
        return { takes: [], usages: [] };
      },
    };
    const store = new SharedLimitStore(remoteLimitAuthority(slow), () => 0);
    store.connected();
    expect(await tryTake(store, scopes)).toBeUndefined();
    await eventually(
      () => turns.length,
      (count) => count === 2,
    );
    expect(turns).toEqual([
      {
        returns: [],
        ends: [],
        reports: [],
        takes: [{ ticket: 1, tokens: 1, scopes: [{ kind: "key", id: "k", limits: viewRates(scopes[0]!.limits), isShort: true }] }],
      },
      { returns: [], ends: [{ ticket: 1, tokens: -1 }], reports: [], takes: [] },
    ]);
  });

  test("learns afterwards of requests that ended meanwhile", async () => {
    const { shared, stores } = await startProcesses(2);
    const tokens = [scope("key", "k", { tokens_per_minute: 100, concurrent_requests: 2 })];
    const [first, second] = [await taken(stores[0]!, tokens, 50), await taken(stores[0]!, tokens, 50)];
    first.end(10);
    shared.link.disconnect("p1");
    second.end(20);
    await shared.link.reconnect("p1");
    await shared.link.idle();
    expect(await stores[1]!.refusalOf(tokens, 71)).toMatchObject({ what: "tokens", remaining: 70 });
    expect(await stores[1]!.refusalOf(tokens, 70)).toBeUndefined();
  });
});

describe("a process that ends", () => {
  test("causes no 429 by its requests in flight: a 503 until it is known to have ended, where the slots of others are free", async () => {
    const { shared, stores } = await startProcesses(3);
    const scopes = [scope("key", "k", { concurrent_requests: 3 })];
    await taken(stores[0]!, scopes, 1);
    const [one, two] = [await taken(stores[1]!, scopes, 1), await taken(stores[1]!, scopes, 1)];
    expect(await stores[2]!.take(scopes, 1)).toMatchObject({ what: "concurrent" });
    shared.link.disconnect("p1");
    const [inDoubt] = await Promise.allSettled([(async () => stores[2]!.take(scopes, 1))()]);
    expect(inDoubt).toMatchObject({ status: "rejected", reason: { status: 503, retryAfterSeconds: 1 } });
    one.end(1);
    const third = await taken(stores[2]!, scopes, 1);
    shared.end("p1");
    await taken(stores[2]!, scopes, 1);
    expect(await stores[1]!.take(scopes, 1)).toMatchObject({ what: "concurrent" });
    for (const ticket of [two, third]) ticket.end(1);
  });

  test("stays counted, and has no concurrent requests from then on", async () => {
    const { shared, stores } = await startProcesses(2);
    const scopes = [scope("key", "k", { requests_per_minute: 2, tokens_per_minute: 100, concurrent_requests: 1 })];
    await taken(stores[0]!, scopes, 40);
    shared.link.disconnect("p1");
    expect(await tryTake(stores[1]!, scopes)).toBeUndefined();
    shared.end("p1");
    expect(await stores[1]!.refusalOf(scopes, 61)).toMatchObject({ what: "tokens", remaining: 60 });
    await taken(stores[1]!, scopes, 60);
    expect(await stores[1]!.refusalOf(scopes, 1)).toMatchObject({ what: "requests", waitMs: MINUTE_MS });
  });
});

describe("a new owner", () => {
  test("admits one request a minute over four processes, before and after", async () => {
    const { shared, stores } = await startProcesses(4);
    const scopes = [scope("key", "k", { requests_per_minute: 1 })];
    (await taken(stores[0]!, scopes)).end(1);
    shared.nowMs += 30_000;
    await shared.restartOwner();
    expect(await admitting(stores, scopes)).toBe(0);
    shared.nowMs += 29_999;
    await shared.restartOwner();
    expect(await admitting(stores, scopes)).toBe(0);
    expect(await stores[3]!.take(scopes, 1)).toMatchObject({ what: "requests", waitMs: 1 });
    shared.nowMs += 1;
    const results = await Promise.all(stores.map(async (store) => store.take(scopes, 1)));
    expect(results.filter(isTicket)).toHaveLength(1);
    shared.nowMs += 59_999;
    expect(await admitting(stores, scopes)).toBe(0);
    shared.nowMs += 1;
    expect(await admitting(stores, scopes)).toBe(4);
  });

  test("knows the requests in flight, whenever they end", async () => {
    const { shared, stores } = await startProcesses(2);
    const scopes = [scope("key", "k", { tokens_per_minute: 100, concurrent_requests: 3 })];
    const tickets = [await taken(stores[0]!, scopes, 30), await taken(stores[0]!, scopes, 30), await taken(stores[1]!, scopes, 30)];
    const restarting = shared.restartOwner();
    // After the statement of its process, and before the process is connected.
    tickets[0]!.end(1);
    await restarting;
    expect(await stores[1]!.refusalOf(scopes, 40)).toMatchObject({ what: "tokens", remaining: 39 });
    expect(await stores[1]!.refusalOf(scopes, 39)).toBeUndefined();
    tickets[1]!.undo();
    tickets[2]!.end(9);
    await shared.link.idle();
    expect(await stores[1]!.refusalOf(scopes, 91)).toMatchObject({ what: "tokens", remaining: 90 });
    for (let at = 0; at < 3; at++) await taken(stores[0]!, scopes, 30);
    expect(await stores[1]!.refusalOf(scopes, 0)).toMatchObject({ what: "concurrent" });
  });
});
