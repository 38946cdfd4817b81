import type { Command } from "./commands.ts";

const HALF_A_DAY_MS = 43_200_000;
const LONGER_THAN_ADMISSION_MS = 12_000;
/** A key of account `a`, which has 150 units. */
const UNCAPPED = 0;
/** A key of account `b`, which has 90 units and a daily cap of 70. */
const DAILY = 2;

const hold = (process: number, amount: number, key = UNCAPPED): Command => ({ do: "hold", process, key, amount, waits: true });
const settle = (process: number, percent: number, isKeyed = false): Command => ({ do: "settle", process, pick: 0, percent, isKeyed });
const send = (process: number): Command => ({ do: "send", process });
const deliver = (process: number, isReplyLost = false): Command => ({ do: "deliver", process, pick: 0, isReplyLost });
const receive = (process: number): Command => ({ do: "receive", process, pick: 0 });
const roundTrip = (process: number): Command => ({ do: "round trip", process });
const crash = (process: number): Command => ({ do: "crash", process });
const recover = (process: number): Command => ({ do: "recover", process });
const pass = (ms: number): Command => ({ do: "pass", ms });

/**
 * Interleavings that broke earlier designs: a name, the commands, and the expected result. They are played with all checks of the model.
 */
export const INTERLEAVINGS: readonly (readonly [string, readonly Command[], readonly string[]])[] = [
  [
    "a shipment times out and is sent again with more in it, and both arrive",
    [hold(0, 10), hold(0, 5), send(0), hold(0, 5), send(0), deliver(0), deliver(0), receive(0), receive(0), settle(0, 100), roundTrip(0)],
    ["a batch sent again, with more in it"],
  ],
  [
    "the reply to a lease change is lost, and the change is sent again",
    [{ ...hold(0, 20), waits: false } as Command, send(0), deliver(0, true), send(0), deliver(0), receive(0), hold(0, 20)],
    ["a lost reply"],
  ],
  [
    "the owner dies, its processes live, and a new owner starts",
    [
      hold(0, 20),
      hold(1, 20),
      { do: "restart the owner" },
      settle(0, 100),
      hold(1, 20),
      roundTrip(0),
      roundTrip(1),
      roundTrip(2),
      hold(2, 20),
    ],
    ["a new owner"],
  ],
  [
    "the owner dies with one of its processes, and the others state the rest of the open holds",
    [
      hold(0, 20),
      hold(1, 20),
      { do: "hold at the owner", key: UNCAPPED, amount: 10 },
      { do: "report progress", process: 0, percent: 40 },
      roundTrip(0),
      crash(0),
      { do: "restart the owner" },
      roundTrip(1),
      hold(2, 60),
      roundTrip(2),
      hold(2, 60),
      settle(1, 100),
    ],
    ["a new owner that does not know whose the open holds are", "a hold at the owner"],
  ],
  [
    "a process is written off before it has stated its holds to a new owner, and comes back with a settlement",
    [
      hold(1, 20),
      roundTrip(1),
      { do: "report progress", process: 1, percent: 40 },
      pass(LONGER_THAN_ADMISSION_MS),
      { do: "restart the owner" },
      settle(1, 100, true),
      { do: "write off", process: 1 },
      roundTrip(1),
      roundTrip(0),
      roundTrip(2),
    ],
    ["a running process written off", "changes of a process that was written off"],
  ],
  [
    "a settlement with an idempotent reply is in the journal, and the process dies before the authority has it",
    [hold(0, 20), roundTrip(0), settle(0, 100, true), crash(0), recover(0), hold(1, 20)],
    ["a crash with an unconfirmed idempotent reply"],
  ],
  [
    "a settlement with an idempotent reply is applied, its reply is lost, and the process dies",
    [hold(0, 20), roundTrip(0), settle(0, 100, true), send(0), deliver(0, true), crash(0), recover(0)],
    ["a crash with an unconfirmed idempotent reply", "a lost reply"],
  ],
  [
    "a process is written off at 40 % progress, and its journal comes back with the full cost",
    [
      hold(0, 50),
      roundTrip(0),
      { do: "report progress", process: 0, percent: 40 },
      pass(LONGER_THAN_ADMISSION_MS),
      settle(0, 100),
      { do: "write off", process: 0 },
      roundTrip(0),
    ],
    ["a running process written off", "changes of a process that was written off"],
  ],
  [
    "the database is restored to before a settlement that its caller has seen",
    [
      hold(0, 20),
      roundTrip(0),
      settle(0, 100),
      roundTrip(0),
      { do: "restore", back: 1 },
      roundTrip(0),
      roundTrip(1),
      roundTrip(2),
      hold(1, 20),
    ],
    ["a restored database"],
  ],
  [
    "a cost is above its hold, with more credit in the account",
    [hold(0, 20), settle(0, 260), roundTrip(0), settle(0, 260), hold(1, 20)],
    ["an excess that was overdrawn"],
  ],
  [
    "costs are above their holds in two processes, without more credit in the account",
    [hold(0, 60), hold(1, 60), settle(0, 260), roundTrip(0), settle(0, 260), settle(1, 260), roundTrip(1), settle(1, 260)],
    ["an excess that was overdrawn", "an excess that the account was spared"],
  ],
  [
    "a negative adjustment while everything is leased",
    [
      hold(0, 60),
      hold(1, 60),
      { do: "credit", account: 0, amount: -40 },
      { do: "recall", key: UNCAPPED },
      settle(0, 100),
      settle(1, 100),
      hold(2, 10),
    ],
    ["a negative adjustment while credit is leased"],
  ],
  [
    "a hold over midnight, when the next day's cap is leased in full",
    [
      hold(0, 40, DAILY),
      pass(HALF_A_DAY_MS),
      pass(HALF_A_DAY_MS),
      roundTrip(0),
      roundTrip(1),
      hold(1, 50, DAILY),
      hold(1, 30, DAILY),
      settle(0, 100),
    ],
    ["a hold refused by the authority"],
  ],
];
