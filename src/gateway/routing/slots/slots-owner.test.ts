import { afterEach, describe, expect, test } from "bun:test";
import { LinkedServices } from "../../../../test/support/linked-services.ts";
import { ask, SlotAsker } from "../../../../test/support/slot-asker.ts";
import { DEFAULT_CONCURRENCY, type Concurrency } from "../../../models/upstream-settings.ts";
import { SlotLeases } from "./slot-leases.ts";
import { SlotsOwner } from "./slots-owner.ts";
import type { Slots } from "./slots.ts";

const open: SlotAsker[] = [];
afterEach(() => {
  for (const { controller } of open.splice(0)) controller.abort();
});

/** An owner and its gateway processes, with the slots of one upstream. */
class Cluster {
  owner = new SlotsOwner();
  readonly bounds: Concurrency;
  readonly links = new LinkedServices(this.owner);
  readonly leases: SlotLeases[] = [];
  /** The messages from processes to the owner. */
  messages = 0;

  constructor(bounds: Partial<Concurrency> = {}) {
    this.bounds = { ...DEFAULT_CONCURRENCY, maxWaitMs: 600_000, ...bounds };
  }

  async start(count: number): Promise<Slots[]> {
    for (let at = this.leases.length; at < count; at++)
      this.leases.push(await this.links.start(`p${at}`, (owner) => new SlotLeases(this.#counted(owner))));
    return this.leases.map((leases) => leases.of("u", this.bounds));
  }

  async ask(slots: Slots, count: number): Promise<SlotAsker[]> {
    const askers = ask(slots, count);
    open.push(...askers);
    await this.links.idle();
    return askers;
  }

  async release(askers: readonly SlotAsker[]): Promise<void> {
    for (const { release } of askers) release();
    await this.links.idle();
  }

  #counted<P extends { notify(method: string, body: unknown): void }>(owner: P): Pick<P, "notify"> {
    return { notify: (method, body) => (this.messages++, owner.notify(method, body)) };
  }
}

function states(askers: readonly SlotAsker[]): string[] {
  return askers.map(({ state }) => state);
}

function holding(...askers: readonly SlotAsker[]): SlotAsker[] {
  return askers.filter(({ state }) => state === "holding");
}

test("slots that were leased are taken at once, and the owner is asked rarely", async () => {
  const cluster = new Cluster({ maxCalls: 1000 });
  const [one] = await cluster.start(3);
  const [first] = await cluster.ask(one!, 1);
  expect(first!.state).toBe("holding");
  expect(cluster.messages).toBe(1);
  // A quarter of a process's share: 1000 / (4 × (3 processes + the owner)).
  const more = ask(one!, 61);
  open.push(...more);
  expect(states(more)).toEqual(more.map(() => "holding"));
  expect(cluster.messages).toBe(1);
  for (let round = 0; round < 20; round++) await cluster.ask(one!, 40);
  expect(one!.taken).toBe(862);
  expect(cluster.messages).toBeLessThan(60);
});

test("the calls of all processes together are limited, including the owner's calls", async () => {
  const cluster = new Cluster({ maxCalls: 10 });
  const [one, two] = await cluster.start(2);
  const local = cluster.owner.local.of("u", cluster.bounds);
  const askers = [...(await cluster.ask(one!, 6)), ...(await cluster.ask(two!, 6)), ...(await cluster.ask(local, 6))];
  expect([one!.taken + two!.taken + local.taken, holding(...askers).length]).toEqual([10, 10]);
  expect([one!, two!, local].map(({ isFull }) => isFull)).toEqual([true, true, true]);
  await cluster.release(holding(...askers));
  expect(one!.taken + two!.taken + local.taken).toBe(8);
  expect(one!.queued + two!.queued + local.queued).toBe(0);
});

test("idle slots of other processes are recalled", async () => {
  const cluster = new Cluster({ maxCalls: 8, maxQueued: 0 });
  const [one, two] = await cluster.start(2);
  await cluster.release(await cluster.ask(one!, 8));
  const askers = await cluster.ask(two!, 8);
  expect(states(askers)).toEqual(askers.map(() => "holding"));
  const [excess] = await cluster.ask(one!, 1);
  expect(excess!.failure).toMatchObject({ code: "overloaded" });
  expect([one!.isFull, two!.isFull]).toEqual([true, true]);
  await cluster.release(askers.slice(0, 1));
  expect([one!.isFull, two!.isFull]).toEqual([false, false]);
});

test("a call is not rejected before every process has answered the recall", async () => {
  const cluster = new Cluster({ maxCalls: 4, maxQueued: 0 });
  const [busy, idle, asking] = await cluster.start(3);
  await cluster.ask(busy!, 1);
  await cluster.release(await cluster.ask(idle!, 3));
  expect(states(await cluster.ask(asking!, 3))).toEqual(["holding", "holding", "holding"]);
});

test("the queue has max_queued places in each process, and excess calls may go to another route", async () => {
  const cluster = new Cluster({ maxCalls: 2, maxQueued: 1 });
  const [one, two] = await cluster.start(2);
  const [first, ...others] = [...(await cluster.ask(one!, 1)), ...(await cluster.ask(two!, 3))];
  expect(first!.state).toBe("holding");
  expect(states(others)).toEqual(["holding", "waiting", "done"]);
  expect(others[2]!.failure).toMatchObject({ code: "overloaded", retryAfterSeconds: 1, fault: { kind: "not_sent" } });
  const [late] = await cluster.ask(two!, 1);
  expect(late!.failure).toMatchObject({ code: "overloaded", fault: undefined });
  expect(two!.rejection()).toMatchObject({ code: "overloaded" });
  const [elsewhere] = await cluster.ask(one!, 1);
  expect(elsewhere!.state).toBe("waiting");
});

describe("fairness", () => {
  test("a process with many waiting calls does not starve another, although there is one slot", async () => {
    const cluster = new Cluster({ maxCalls: 1 });
    const [one, two] = await cluster.start(2);
    const busy = await cluster.ask(one!, 50);
    const [other] = await cluster.ask(two!, 1);
    await cluster.release(holding(...busy));
    await cluster.release(holding(...busy));
    expect(other!.state).toBe("holding");
  });

  test("a process that starts while the others are saturated gets its share", async () => {
    const cluster = new Cluster({ maxCalls: 3 });
    const [one, two] = await cluster.start(2);
    const busy = [];
    for (const slots of [one!, two!, cluster.owner.local.of("u", cluster.bounds)]) busy.push(...(await cluster.ask(slots, 50)));
    for (let round = 0; round < 4; round++) await cluster.release(holding(...busy));
    const started = (await cluster.start(3))[2]!;
    const [late] = await cluster.ask(started, 1);
    for (let round = 0; round < 4; round++) await cluster.release(holding(...busy));
    expect(late!.state).toBe("holding");
  });

  test("saturated processes keep their shares without messages", async () => {
    const cluster = new Cluster({ maxCalls: 9 });
    const [one, two] = await cluster.start(2);
    const busy = [...(await cluster.ask(one!, 100)), ...(await cluster.ask(two!, 100))];
    for (let round = 0; round < 8; round++) await cluster.release(holding(...busy));
    expect(Math.min(one!.taken, two!.taken)).toBeGreaterThanOrEqual(3);
    expect(one!.taken + two!.taken).toBe(9);
    const before = cluster.messages;
    await cluster.release(holding(...busy));
    // The shares are 3 and 3, because the owner is a process too: 3 slots move between processes, and each move costs a return and perhaps
    // an ask.
    expect(cluster.messages - before).toBeLessThanOrEqual(6);
  });
});

describe("the slots of a process", () => {
  test("are free again when it has ended, and not while it is disconnected", async () => {
    const cluster = new Cluster({ maxCalls: 4 });
    const [one, two] = await cluster.start(2);
    await cluster.ask(one!, 3);
    const askers = await cluster.ask(two!, 3);
    cluster.links.disconnect("p0");
    await cluster.links.idle();
    expect(states(askers)).toEqual(["holding", "waiting", "waiting"]);
    cluster.links.end("p0");
    await cluster.links.idle();
    expect(states(askers)).toEqual(["holding", "holding", "holding"]);
  });

  test("stay in use while the owner is away, and a new owner learns of them", async () => {
    const cluster = new Cluster({ maxCalls: 6 });
    const [one, two] = await cluster.start(2);
    const askers = await cluster.ask(one!, 4);
    cluster.links.loseOwner();
    await cluster.release(askers.slice(0, 1));
    const [again, ...waiting] = await cluster.ask(one!, 3);
    expect([again!.state, ...states(waiting)]).toEqual(["holding", "waiting", "waiting"]);
    expect(one!.isFull).toBe(true);
    await cluster.links.replaceOwner(new SlotsOwner());
    await cluster.links.idle();
    expect(states(waiting)).toEqual(["holding", "holding"]);
    expect(states(await cluster.ask(two!, 1))).toEqual(["waiting"]);
  });

  test("are asked for again when an ask or a grant was lost with the connection", async () => {
    const cluster = new Cluster({ maxCalls: 6 });
    const [one] = await cluster.start(1);
    const [asker] = ask(one!, 1);
    open.push(asker!);
    cluster.links.disconnect("p0");
    await cluster.links.reconnect("p0");
    await cluster.links.idle();
    expect(asker!.state).toBe("holding");
  });
});

test("other bounds of an upstream are other slots, and other settings with the same bounds are not", async () => {
  const cluster = new Cluster({ maxCalls: 1, maxQueued: 0 });
  const [one] = await cluster.start(1);
  await cluster.ask(one!, 1);
  expect(cluster.leases[0]!.of("u", { ...cluster.bounds })).toBe(one!);
  const changed = cluster.leases[0]!.of("u", { ...cluster.bounds, maxCalls: 2 });
  expect(states(await cluster.ask(changed, 3))).toEqual(["holding", "holding", "done"]);
});
