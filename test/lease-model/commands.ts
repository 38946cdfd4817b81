import * as fc from "fast-check";

/** A step of a history. All ranges are small, so that steps collide. `pick` selects one of the candidates that exist at that time. */
export type Command =
  | { readonly do: "hold"; readonly process: number; readonly key: number; readonly amount: number; readonly waits: boolean }
  | { readonly do: "settle"; readonly process: number; readonly pick: number; readonly percent: number; readonly isKeyed: boolean }
  | { readonly do: "release"; readonly process: number; readonly pick: number }
  | { readonly do: "report progress"; readonly process: number; readonly percent: number }
  | { readonly do: "send"; readonly process: number; readonly most?: number }
  | { readonly do: "deliver"; readonly process: number; readonly pick: number; readonly isReplyLost: boolean }
  | { readonly do: "lose a message"; readonly process: number; readonly pick: number }
  | { readonly do: "receive"; readonly process: number; readonly pick: number }
  | { readonly do: "round trip"; readonly process: number }
  | { readonly do: "return idle"; readonly process: number }
  | { readonly do: "recall"; readonly key: number }
  | { readonly do: "hold at the owner"; readonly key: number; readonly amount: number }
  | { readonly do: "end at the owner"; readonly pick: number; readonly percent: number }
  | { readonly do: "credit"; readonly account: number; readonly amount: number }
  | { readonly do: "cap"; readonly key: number; readonly amount: number }
  | { readonly do: "credit line"; readonly account: number; readonly amount: number }
  | { readonly do: "crash"; readonly process: number }
  | { readonly do: "recover"; readonly process: number }
  | { readonly do: "lose contact"; readonly process: number }
  | { readonly do: "write off"; readonly process: number }
  | { readonly do: "restart the owner" }
  | { readonly do: "restore"; readonly back: number }
  | { readonly do: "pass"; readonly ms: number };

const DAY_MS = 86_400_000;
const PROCESSES = 3;

const process = fc.nat(PROCESSES - 1);
const pick = fc.nat(3);
const key = fc.nat(2);
const percent = fc.constantFrom(0, 40, 100, 100, 130, 260);

function often(weight: number, name: Command["do"], fields: object): { weight: number; arbitrary: fc.Arbitrary<Command> } {
  return { weight, arbitrary: fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Command> };
}

const command = fc.oneof(
  often(36, "hold", { process, key, amount: fc.integer({ min: 1, max: 60 }), waits: fc.nat(3).map((of4) => of4 > 0) }),
  often(16, "settle", { process, pick, percent, isKeyed: fc.nat(3).map((of4) => of4 === 0) }),
  often(6, "release", { process, pick }),
  often(4, "report progress", { process, percent: fc.nat(120) }),
  often(10, "send", { process, most: fc.constantFrom(1, 2, 3, Infinity) }),
  often(10, "deliver", { process, pick, isReplyLost: fc.nat(4).map((of5) => of5 === 0) }),
  often(3, "lose a message", { process, pick }),
  often(10, "receive", { process, pick }),
  often(16, "round trip", { process }),
  often(4, "return idle", { process }),
  often(5, "recall", { key }),
  often(3, "hold at the owner", { key, amount: fc.integer({ min: 1, max: 60 }) }),
  often(3, "end at the owner", { pick, percent }),
  often(3, "credit", { account: fc.nat(1), amount: fc.integer({ min: -40, max: 100 }) }),
  often(2, "cap", { key: fc.integer({ min: 1, max: 2 }), amount: fc.nat(200) }),
  often(3, "credit line", { account: fc.nat(1), amount: fc.nat(80) }),
  often(3, "crash", { process }),
  often(5, "recover", { process }),
  often(2, "lose contact", { process }),
  often(4, "write off", { process }),
  often(2, "restart the owner", {}),
  often(1, "restore", { back: fc.integer({ min: 1, max: 6 }) }),
  often(3, "pass", { ms: fc.constantFrom(1000, 1000, 9000, 12_000, DAY_MS / 2) }),
);

export const histories: fc.Arbitrary<readonly Command[]> = fc.array(command, { minLength: 1, maxLength: 80, size: "max" });
