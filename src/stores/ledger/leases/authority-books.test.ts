import { beforeEach, expect, test } from "bun:test";
import { ModelAuthority } from "../../../../test/lease-model/authority.ts";
import { hold as sampleHold, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import type { HoldEntry, ReleaseEntry } from "../../../money/ledger-entry.ts";
import { NO_CAPS } from "../../../money/limits.ts";
import { FencedError, SequenceGapError } from "./instance.ts";
import type { ProcessChange } from "./process-change.ts";

const NAMES = { accountId: "a", keyId: "a1" };

let authority: ModelAuthority;
let epoch: number;
beforeEach(() => {
  authority = new ModelAuthority();
  authority.credit("a", 1000n);
  ({ epoch } = authority.join("p1"));
});

const holdAt = (id: number): HoldEntry => ({ ...sampleHold(`r${id}`, 10n, NAMES), kind: "hold", id });
const releaseOf = (hold: HoldEntry, id: number): ReleaseEntry => {
  const { amountNanos: _, ...request } = hold;
  return { ...request, kind: "release", id, holdId: hold.id };
};

function expectUnchanged(changes: readonly ProcessChange[], error: new (...given: never[]) => Error): void {
  const entries = authority.entries.length;
  expect(() => authority.apply("p1", epoch, changes)).toThrow(error);
  expect([authority.entries.length, authority.core.find("p1")!.appliedSeq, authority.books.open.size]).toEqual([entries, 0, 0]);
}

test("a batch with a gap is rejected as a whole", () => {
  expectUnchanged([holdAt(2)], SequenceGapError);
  expectUnchanged([holdAt(1), holdAt(3)], SequenceGapError);
});

test("a batch that ends a hold which is not open is rejected as a whole", () => {
  expectUnchanged([holdAt(1), releaseOf(holdAt(9), 2)], Error);
  expectUnchanged([holdAt(1), releaseOf(holdAt(1), 2), releaseOf(holdAt(1), 3)], Error);
});

test("a call of an earlier connection, or of a process that has ended, is fenced off", () => {
  const earlier = epoch;
  ({ epoch } = authority.join("p1"));
  expect(() => authority.apply("p1", earlier, [holdAt(1)])).toThrow(FencedError);
  authority.end("p1", "closed");
  expect(() => authority.apply("p1", epoch, [holdAt(1)])).toThrow(FencedError);
  expect(() => authority.join("p1")).toThrow(FencedError);
});

test("the holds of a process that has ended are charged for their last progress, at most the hold, or released", () => {
  authority.apply("p1", epoch, [holdAt(1), holdAt(2), holdAt(3)]);
  const progress = { usage: USAGE, provenance: "measured", upstream: "u", upstreamModel: "m" } as const;
  authority.progress.set("r1", { ...progress, costNanos: 4n }).set("r2", { ...progress, costNanos: 50n });
  authority.end("p1", "closed");
  const ends = authority.entries.slice(-3).map((entry) => [entry.kind, "amountNanos" in entry ? entry.amountNanos : 0n, entry.actor]);
  expect(ends).toEqual([
    ["settle", 4n, "recovery"],
    ["settle", 10n, "recovery"],
    ["release", 0n, "recovery"],
  ]);
});

test("after a start nothing is leased until every live process has stated its leases", () => {
  authority.join("p2");
  authority.restart();
  authority.start();
  const purse = { scope: "account", id: "a" } as const;
  const wanted: ProcessChange = { kind: "lease", id: 2, purse, bound: "at_least", nanos: 100n };
  ({ epoch } = authority.join("p1"));
  expect(authority.apply("p1", epoch, [{ kind: "statement", id: 1, leases: [] }, wanted])).toMatchObject({
    isLeasing: false,
    purses: [{ leaseNanos: 0n }],
  });
  const { epoch: other } = authority.join("p2");
  authority.apply("p2", other, [{ kind: "statement", id: 1, leases: [] }]);
  const { isLeasing, purses } = authority.apply("p1", epoch, [{ ...wanted, id: 3 }]);
  expect([isLeasing, purses[0]!.leaseNanos >= 100n]).toEqual([true, true]);
});

test("spend at another gateway is not leased until its time", () => {
  const purse = { scope: "account", id: "a" } as const;
  const carried = { day: { nanos: 70n, untilMs: authority.nowMs + 1 } };
  authority.caps["account:a"] = { ...NO_CAPS, dayNanos: 100n, carried };
  expect(authority.core.balances.freeOf(purse)).toBe(30n);
  authority.nowMs++;
  expect(authority.core.balances.freeOf(purse)).toBe(100n);
});
