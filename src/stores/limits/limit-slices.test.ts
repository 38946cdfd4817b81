import { describe, expect, test } from "bun:test";
import { isTicket, startProcesses, tryTake } from "../../../test/support/money/shared-limits.ts";
import type { ConnectedProcess } from "../../lib/ipc/ipc-service.ts";
import { type NamedRates, readRates, viewRates, WINDOW_LIMITS } from "../../money/limits.ts";
import { yieldToEventLoop } from "../ledger/commit/yield-to-event-loop.ts";
import { Counters } from "./counters.ts";
import {
  type GrantMessage,
  type TakeMessage,
  type TakenMessage,
  type TurnMessage,
  type TurnReply,
  UNDONE,
  readScope,
} from "./limit-messages.ts";
import { LimitService } from "./limit-service.ts";
import { scope } from "./limit-store.contract.ts";
import type { LimitScope, LimitTicket } from "./limit-store.ts";
import type { SharedLimitStore } from "./shared-limit-store.ts";
import { LimitSlices } from "./limit-slices.ts";

const MINUTE_MS = 60_000;

const key = (limits: Partial<NamedRates>): readonly LimitScope[] => [scope("key", "k", limits)];

/** The number of admitted requests, of `count` requests that a process takes one after the other. */
async function admitted(store: SharedLimitStore, scopes: readonly LimitScope[], count: number, tokens = 1): Promise<LimitTicket[]> {
  const tickets: LimitTicket[] = [];
  for (let at = 0; at < count; at++) {
    const result = await store.take(scopes, tokens);
    if (isTicket(result)) tickets.push(result);
  }
  return tickets;
}

describe("a slice", () => {
  test("admits requests without a message, in the turn in which they arrive", async () => {
    const { shared, stores } = await startProcesses(2);
    const scopes = [
      scope("key", "k", { requests_per_minute: 6000 }),
      scope("account", "a", { concurrent_requests: 600, tokens_per_minute: 60_000 }),
    ];
    await admitted(stores[0]!, scopes, 1);
    expect(shared.calls).toBe(1);
    shared.nowMs += 1000;
    for (let at = 0; at < 90; at++) expect(stores[0]!.take(scopes, 1)).not.toBeInstanceOf(Promise);
    expect(stores[0]!.refusalOf(scopes, 1)).toBeUndefined();
    await shared.link.idle();
    // The second call is a report.
    expect(shared.calls).toBe(2);
  });

  test("grows with its use, and is used again when its requests have expired", async () => {
    const { shared, stores } = await startProcesses(1);
    const scopes = key({ requests_per_minute: 6000 });
    expect(await admitted(stores[0]!, scopes, 3000)).toHaveLength(3000);
    expect(shared.calls).toBeLessThan(10);
    shared.nowMs += MINUTE_MS;
    shared.calls = 0;
    expect(await admitted(stores[0]!, scopes, 3000)).toHaveLength(3000);
    expect(shared.calls).toBeLessThan(3);
  });

  test("of one process is returned when another process needs it: together they admit exactly the limit", async () => {
    for (const limits of [{ requests_per_minute: 100 }, { tokens_per_minute: 100 }, { concurrent_requests: 100 }]) {
      const { stores } = await startProcesses(3);
      const used = [];
      for (const store of stores) used.push(...(await admitted(store, key(limits), 2)));
      used.push(...(await admitted(stores[0]!, key(limits), 200)));
      expect({ limits, used: used.length }).toEqual({ limits, used: 100 });
      for (const store of stores) expect(await store.take(key(limits), 1)).toMatchObject({ remaining: 0 });
    }
  });

  test("of requests at the same time, the limit is admitted, wherever they arrive", async () => {
    const { shared, stores } = await startProcesses(4);
    const scopes = key({ requests_per_minute: 400 });
    for (const store of stores) await admitted(store, scopes, 1);
    const results = await Promise.all(stores.flatMap((store) => Array.from({ length: 200 }, async () => store.take(scopes, 1))));
    expect(results.filter(isTicket)).toHaveLength(396);
    shared.nowMs += MINUTE_MS - 1;
    expect(await admitted(stores[3]!, scopes, 1)).toEqual([]);
    shared.nowMs += 1;
    expect(await admitted(stores[3]!, scopes, 500)).toHaveLength(400);
  });

  test("is not cut from a limit that is small for the number of processes", async () => {
    const { shared, stores } = await startProcesses(4);
    await admitted(stores[0]!, key({ requests_per_minute: 60 }), 30);
    expect(shared.calls).toBe(30);
  });

  test("is not used for limits that have changed meanwhile", async () => {
    const { stores } = await startProcesses(2);
    await admitted(stores[0]!, key({ requests_per_minute: 1000 }), 50);
    await admitted(stores[1]!, key({ requests_per_minute: 1000 }), 50);
    expect(await admitted(stores[0]!, key({ requests_per_minute: 120 }), 100)).toHaveLength(20);
    expect(await admitted(stores[1]!, key({ requests_per_minute: 130 }), 100)).toHaveLength(10);
  });

  test("counts a request that has used more than its estimate in every process", async () => {
    const { shared, stores } = await startProcesses(2);
    const scopes = key({ tokens_per_minute: 1000 });
    const [, ticket] = await admitted(stores[0]!, scopes, 2, 10);
    ticket!.end(900);
    await shared.link.idle();
    expect(await stores[1]!.take(scopes, 91)).toMatchObject({ what: "tokens", remaining: 90 });
  });

  test("is corrected when its requests end, before and after it is returned", async () => {
    const { stores } = await startProcesses(2);
    const scopes = key({ tokens_per_minute: 1000, concurrent_requests: 1000 });
    const tickets = await admitted(stores[0]!, scopes, 20, 10);
    for (const ticket of tickets.slice(0, 10)) ticket.end(1);
    expect(await stores[1]!.take(scopes, 891)).toMatchObject({ what: "tokens", remaining: 890 });
    for (const ticket of tickets.slice(10, 15)) ticket.end(2);
    for (const ticket of tickets.slice(15)) ticket.undo();
    await admitted(stores[0]!, scopes, 1, 0);
    expect(await stores[1]!.refusalOf(scopes, 981)).toMatchObject({ what: "tokens", remaining: 980 });
  });
});

test("the state of a limit has what other processes have used, as they report it once a second", async () => {
  const { shared, stores } = await startProcesses(2);
  const scopes = key({ requests_per_minute: 1000, tokens_per_minute: 10_000 });
  for (let second = 0; second < 3; second++) {
    for (const store of stores) await admitted(store, scopes, 10, 2);
    await shared.link.idle();
    shared.nowMs += 1000;
  }
  for (const store of stores) await admitted(store, scopes, 1, 2);
  await shared.link.idle();
  const { requests, tokens } = stores[1]!.state(scopes, shared.clockOf(stores[1]!));
  expect(requests!.remaining).toBeLessThanOrEqual(1000 - 31 - 21);
  expect(requests!.remaining).toBeGreaterThanOrEqual(1000 - 62);
  expect(tokens!.remaining).toBe(10_000 - (1000 - requests!.remaining) * 2);
  expect(requests!.resetMs).toBe(MINUTE_MS);
});

describe("a process that is away", () => {
  const scopes = key({ requests_per_minute: 100 });

  test("serves requests from its slice, and a request that may need it is rejected with a 503, not a 429", async () => {
    const { shared, stores } = await startProcesses(2);
    await admitted(stores[0]!, scopes, 1);
    shared.link.disconnect("p1");
    expect(stores[0]!.take(scopes, 1)).not.toBeInstanceOf(Promise);
    // The slice has 16 of the limit.
    const results = await Promise.all(Array.from({ length: 100 }, () => tryTake(stores[1]!, scopes)));
    expect(results.filter(isTicket)).toHaveLength(83);
    expect(results.filter((result) => result === undefined)).toHaveLength(17);
    await shared.link.reconnect("p1");
    expect(await admitted(stores[1]!, scopes, 100)).toHaveLength(15);
  });

  test("leaves its slice counted for a minute when it has ended, and nothing when it was stopped", async () => {
    for (const isStopped of [false, true]) {
      const { shared, stores } = await startProcesses(2);
      await admitted(stores[0]!, scopes, 1);
      if (isStopped) await stores[0]!.close();
      shared.end("p1");
      expect(await admitted(stores[1]!, scopes, 100)).toHaveLength(isStopped ? 99 : 83);
      shared.nowMs += MINUTE_MS;
      expect(await admitted(stores[1]!, scopes, 101)).toHaveLength(100);
    }
  });

  test("has a slice whose grant was lost on the way", async () => {
    const { shared, stores } = await startProcesses(2);
    const waiting = tryTake(stores[0]!, scopes);
    while (shared.local.state(scopes, 90_000).requests!.remaining === 100) await yieldToEventLoop();
    shared.link.disconnect("p1");
    expect(await waiting).toBeUndefined();
    await shared.link.reconnect("p1");
    await shared.link.idle();
    expect(await admitted(stores[1]!, scopes, 101)).toHaveLength(100);
  });
});

const requests = (count: number): NamedRates => viewRates(readRates({ requests_per_minute: count }));

const grant = (count: number): GrantMessage => ({ lease: 1, kind: "key", id: "k", limits: requests(100), slice: requests(count) });

const take = (ticket: number, isShort = false): TakeMessage => ({
  ticket,
  tokens: 1,
  scopes: [{ kind: "key", id: "k", limits: requests(100), isShort }],
});

const NOTHING_TAKEN: TakenMessage = { kind: "key", id: "k", ended: new Counters().windows.map((window) => (window ? [] : null)), open: [] };

test("a slice that is widened while it is on its way back is not used", () => {
  const slices = new LimitSlices(() => undefined);
  const [asked] = key({ requests_per_minute: 100 });
  slices.granted(grant(10));
  expect(slices.fit([asked!], 1, 0)).toBe(true);
  slices.recalled(1, 0);
  slices.granted(grant(20));
  expect(slices.fit([asked!], 1, 0)).toBe(false);
  expect(slices.send([], 0)).toEqual([{ lease: 1, taken: NOTHING_TAKEN }]);
});

test("a request that waits for slices is not counted after its process has given it up", async () => {
  const service = new LimitService({ monotonicMs: () => 0 });
  const granted: GrantMessage[] = [];
  const [one, two] = ["p1", "p2"].map((id): ConnectedProcess => {
    return { id, call: async () => undefined, notify: (method, body) => method === "limits.granted" && granted.push(body as GrantMessage) };
  });
  const nothing = { slices: [], counted: [] };
  for (const process of [one!, two!]) service.connected(process, nothing);
  const count = async (process: ConnectedProcess, turn: Partial<TurnMessage>): Promise<TurnReply> =>
    service.calls.count(process, { returns: [], ends: [], reports: [], takes: [], ...turn }) as TurnReply;
  await count(one!, { takes: [take(1, true)] });
  const { lease } = granted[0]!;
  await count(two!, { takes: Array.from({ length: 83 }, (_, at) => take(at + 1)) });
  const waiting = count(two!, { takes: [take(84)] });
  service.disconnected("p2");
  service.connected(two!, nothing);
  await count(two!, { ends: [{ ticket: 84, tokens: UNDONE }] });
  await count(one!, { returns: [{ lease, taken: NOTHING_TAKEN }] });
  await waiting;
  const { takes } = await count(one!, { takes: Array.from({ length: 20 }, (_, at) => take(at + 2)) });
  expect(takes.filter(({ refusal }) => !refusal)).toHaveLength(16);
});

test("a new owner knows what was admitted from slices, and by requests in flight", async () => {
  const { shared, stores } = await startProcesses(2);
  const scopes = key({ requests_per_minute: 100, concurrent_requests: 100 });
  const tickets = await admitted(stores[0]!, scopes, 20);
  await admitted(stores[1]!, scopes, 10);
  shared.nowMs += 10_000;
  shared.link.loseOwner();
  expect(stores[0]!.take(scopes, 1)).not.toBeInstanceOf(Promise);
  for (const ticket of tickets.slice(0, 5)) ticket.end(1);
  tickets[5]!.undo();
  await shared.restartOwner();
  tickets[6]!.undo();
  expect(await admitted(stores[1]!, scopes, 100)).toHaveLength(71);
  shared.nowMs += MINUTE_MS;
  expect(await admitted(stores[1]!, scopes, 100)).toHaveLength(5);
});

test("limits of a process of another version, which has fewer or more windows, are read", () => {
  const limits = readRates({ requests_per_minute: 60, concurrent_requests: 8 });
  const [sent] = [{ kind: "key", id: "k", limits: viewRates(limits), isShort: false }] as const;
  expect(readScope(sent).limits).toEqual(limits);
  expect(readScope({ ...sent, limits: Object.assign({ requests_per_year: 1000 }, sent.limits) }).limits).toEqual(limits);
  expect(readScope({ ...sent, limits: { requests_per_minute: 60, concurrent_requests: 8 } as NamedRates }).limits).toEqual(limits);
  const counters = new Counters();
  counters.restore([{ ageMs: 0, tokens: 5 }], [...WINDOW_LIMITS.map(() => []), [[0, 7]]], 1000);
  expect([counters.used(0, 1000), counters.used(1, 1000)]).toEqual([1, 5]);
});
