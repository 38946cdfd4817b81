import * as fc from "fast-check";
import type { Fault } from "./faulty-file.ts";

/**
 * Possible steps of a ledger's history. Everything is small, with few accounts, keys and references, so that steps collide. `pick` selects
 * one of the candidates that exist at that time.
 */
export type Command =
  | { readonly do: "hold"; readonly key: number; readonly amount: number; readonly isWaitedFor: boolean }
  | { readonly do: "hold again"; readonly pick: number; readonly amount: number }
  | { readonly do: "settle"; readonly pick: number; readonly percent: number; readonly excess: number; readonly cap: number | null }
  | { readonly do: "release"; readonly pick: number }
  | { readonly do: "end twice"; readonly pick: number; readonly how: "settle" | "release" }
  | {
      readonly do: "credit";
      readonly kind: "grant" | "adjustment";
      readonly account: number;
      readonly amount: number;
      readonly reference: number;
    }
  | { readonly do: "watch"; readonly pick: number; readonly cost: number; readonly isWritten: boolean }
  | { readonly do: "write progress"; readonly fault: "fails" | "kept" | undefined }
  | { readonly do: "turn" }
  | { readonly do: "retry" }
  | { readonly do: "break"; readonly faults: readonly Fault[] }
  | { readonly do: "crash" }
  | { readonly do: "close"; readonly fault: "fails" | "kept" | undefined }
  | { readonly do: "pass"; readonly ms: number };

export interface History {
  readonly startsAt: number;
  readonly commands: readonly Command[];
}

const DAY_MS = 86_400_000;

const pick = fc.nat(7);
const mostly = fc.nat(3).map((of4) => of4 > 0);
const faultBeside = fc.constantFrom(undefined, undefined, "fails" as const, "kept" as const);
const faults = fc.array(fc.constantFrom<Fault>("kept", "kept", "locked", "fails", "full", "rolled back"), { minLength: 1, maxLength: 3 });

/** A command with this weight among all weights. */
function often(weight: number, arbitrary: fc.Arbitrary<Command>): { weight: number; arbitrary: fc.Arbitrary<Command> } {
  return { weight, arbitrary };
}

/** How far the client's own limit is above the hold, if there is one. */
const cap = fc.tuple(fc.nat(9), fc.nat(1500)).map(([one, above]) => (one === 0 ? above : null));

const command = fc.oneof(
  often(30, fc.record({ do: fc.constant("hold"), key: fc.constantFrom(0, 0, 1, 2, 3), amount: fc.nat(300), isWaitedFor: mostly })),
  often(3, fc.record({ do: fc.constant("hold again"), pick, amount: fc.nat(400) })),
  often(13, fc.record({ do: fc.constant("settle"), pick, percent: fc.nat(100), excess: fc.constant(0), cap })),
  often(
    9,
    fc.record({
      do: fc.constant("settle"),
      pick,
      percent: fc.constant(100),
      excess: fc.integer({ min: 1, max: 1500 }),
      cap,
    }),
  ),
  often(6, fc.record({ do: fc.constant("release"), pick })),
  often(3, fc.record({ do: fc.constant("end twice"), pick, how: fc.constantFrom("settle", "release") })),
  often(
    5,
    fc.record({
      do: fc.constant("credit"),
      kind: fc.constant("grant"),
      account: fc.nat(1),
      amount: fc.integer({ min: 1, max: 900 }),
      reference: fc.nat(2),
    }),
  ),
  often(
    2,
    fc.record({
      do: fc.constant("credit"),
      kind: fc.constant("adjustment"),
      account: fc.nat(1),
      amount: fc.integer({ min: -300, max: 300 }),
      reference: fc.nat(2),
    }),
  ),
  often(7, fc.record({ do: fc.constant("watch"), pick, cost: fc.nat(400), isWritten: mostly })),
  often(4, fc.record({ do: fc.constant("write progress"), fault: faultBeside })),
  often(10, fc.record({ do: fc.constant("turn") })),
  often(7, fc.record({ do: fc.constant("retry") })),
  often(5, fc.record({ do: fc.constant("break"), faults })),
  often(4, fc.record({ do: fc.constant("crash") })),
  often(2, fc.record({ do: fc.constant("close"), fault: faultBeside })),
  often(8, fc.record({ do: fc.constant("pass"), ms: fc.constantFrom(1, 1000, DAY_MS / 24, DAY_MS / 2, DAY_MS, 20 * DAY_MS) })),
  // The clock is set back, or far ahead.
  often(
    4,
    fc.record({ do: fc.constant("pass"), ms: fc.constantFrom(-1000, -DAY_MS, -2 * DAY_MS, -20 * DAY_MS, -400 * DAY_MS, 400 * DAY_MS) }),
  ),
) satisfies fc.Arbitrary<Command>;

/** Just before midnight and the end of a month, a leap February and a year; and at ordinary times. */
const startsAt = fc.constantFrom(
  ...["2027-03-10T23:59:59.500Z", "2027-04-30T23:59:59Z", "2028-02-28T23:00:00Z", "2027-12-31T12:00:00Z", "2027-06-15T09:30:00Z"].map(
    (day) => Date.parse(day),
  ),
);

export const histories: fc.Arbitrary<History> = fc.record({
  startsAt,
  commands: fc.array(command, { minLength: 5, maxLength: 20, size: "max" }),
});
