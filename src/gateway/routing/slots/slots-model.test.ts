import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { LinkedServices } from "../../../../test/support/linked-services.ts";
import { runs } from "../../../../test/support/long.ts";
import { SlotAsker } from "../../../../test/support/slot-asker.ts";
import type { Concurrency } from "../../../models/upstream-settings.ts";
import { SlotLeases } from "./slot-leases.ts";
import { SlotsOwner } from "./slots-owner.ts";
import type { Slots } from "./slots.ts";

const PROCESSES = 3;

/** A gateway process, or the owner process. */
interface Member {
  /** The id of the process; undefined for the owner. */
  readonly id: string | undefined;
  readonly slots: Slots;
  askers: SlotAsker[];
}

/** Any number of processes with one upstream. Processes end, lose their connection and get a new owner. */
class Model {
  readonly bounds: Concurrency;
  readonly links: LinkedServices;
  readonly processes: Member[] = [];
  owner: Member;
  #started = 0;

  constructor(bounds: Concurrency) {
    this.bounds = bounds;
    const owner = new SlotsOwner();
    this.links = new LinkedServices(owner);
    this.owner = { id: undefined, slots: owner.local.of("u", bounds), askers: [] };
  }

  get members(): readonly Member[] {
    return [this.owner, ...this.processes];
  }

  get taken(): number {
    return this.members.reduce((sum, { slots }) => sum + slots.taken, 0);
  }

  get queued(): number {
    return this.members.reduce((sum, { slots }) => sum + slots.queued, 0);
  }

  async start(at: number): Promise<void> {
    const id = `p${++this.#started}`;
    const leases = await this.links.start(id, (owner) => new SlotLeases(owner));
    this.processes[at] = { id, slots: leases.of("u", this.bounds), askers: [] };
  }

  async kill(at: number): Promise<void> {
    const { id, askers } = this.processes[at]!;
    this.links.end(id!);
    for (const { controller } of askers) controller.abort();
    await this.start(at);
  }

  async replaceOwner(): Promise<void> {
    for (const { controller } of this.owner.askers) controller.abort();
    const owner = new SlotsOwner();
    await this.links.replaceOwner(owner);
    this.owner = { id: undefined, slots: owner.local.of("u", this.bounds), askers: [] };
  }

  async step(step: string, which: number): Promise<void> {
    const member = this.members[which % this.members.length]!;
    const at = which % PROCESSES;
    const { id } = this.processes[at]!;
    if (step === "take") member.askers.push(new SlotAsker(member.slots));
    else if (step === "release") releaseOne(member, which);
    else if (step === "leave") member.askers.findLast(({ state }) => state === "waiting")?.controller.abort();
    else if (step === "kill") await this.kill(at);
    else if (step === "disconnect") this.links.disconnect(id!);
    else if (step === "reconnect") await this.links.reconnect(id!);
    else if (step === "lose owner") this.links.loseOwner();
    else if (step === "replace owner") await this.replaceOwner();
    else if (step === "settle") await this.links.idle();
    else await new Promise((resolve) => setImmediate(resolve));
  }

  async connectAll(): Promise<void> {
    for (const { id } of this.processes) await this.links.reconnect(id!);
    await this.links.idle();
  }

  /** Expects that no call waits while a slot is free. */
  expectNoneStarves(): void {
    if (this.queued > 0) expect(this.taken).toBe(this.bounds.maxCalls);
  }

  async releaseAll(): Promise<void> {
    for (;;) {
      const holders = this.members.flatMap(({ askers }) => askers.filter(({ state }) => state === "holding"));
      if (holders.length === 0) break;
      for (const { release } of holders) release();
      await this.links.idle();
      this.expectNoneStarves();
    }
    expect([this.taken, this.queued]).toEqual([0, 0]);
  }
}

function releaseOne({ askers }: Member, which: number): void {
  const holders = askers.filter(({ state }) => state === "holding");
  holders[which % Math.max(1, holders.length)]?.release();
}

const WEIGHTS: readonly (readonly [step: string, weight: number])[] = [
  ["take", 12],
  ["release", 8],
  ["leave", 2],
  ["turn", 8],
  ["settle", 2],
  ["kill", 1],
  ["disconnect", 1],
  ["reconnect", 2],
  ["lose owner", 1],
  ["replace owner", 1],
];

const STEPS = fc.array(fc.tuple(fc.oneof(...WEIGHTS.map(([step, weight]) => ({ weight, arbitrary: fc.constant(step) }))), fc.nat(1000)), {
  maxLength: 150,
  size: "max",
});

test("however processes take, release, end, disconnect and get a new owner, the slots in use are limited and none is lost", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 20, max: 200 }), STEPS, async (maxCalls, maxQueued, steps) => {
      const model = new Model({ maxCalls, maxQueued, maxWaitMs: 600_000 });
      for (let at = 0; at < PROCESSES; at++) await model.start(at);
      for (const [step, which] of steps) {
        await model.step(step, which);
        expect(model.taken).toBeLessThanOrEqual(maxCalls);
      }
      await model.connectAll();
      model.expectNoneStarves();
      await model.releaseAll();
      const [last] = model.processes;
      last!.askers = Array.from({ length: maxCalls + 1 }, () => new SlotAsker(last!.slots));
      await model.links.idle();
      expect([last!.slots.taken, last!.slots.queued]).toEqual([maxCalls, 1]);
      last!.askers.at(-1)!.controller.abort();
    }),
    runs(150),
  );
});
