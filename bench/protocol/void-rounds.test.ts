import { expect, test } from "bun:test";
import { takeRounds } from "./take-rounds.ts";
import type { Visit } from "./visit.ts";
import { voidReasons, type Round } from "./void-rounds.ts";

function visitOf(system: string, cpuUs: number, more: Partial<Visit> = {}): Visit {
  return { system, cpuUs, units: 100, wrong: 0, ownerUs: null, loadUs: 10, rssMib: 1, foreign: 0.01, flaw: null, figures: {}, ...more };
}

function roundOf(nginx: number, more: Partial<Visit> = {}): Round {
  return { visits: [visitOf("nginx", nginx), visitOf("tollgate", 80, more), visitOf("nginx", nginx)] };
}

test("rounds count while the reference is near its median, the machine is ours and all answers are right", () => {
  expect(voidReasons([roundOf(20), roundOf(21), roundOf(22)], "nginx")).toEqual([null, null, null]);
});

test("a round is void where the reference strays by more than 15 %", () => {
  expect(voidReasons([roundOf(20), roundOf(20), roundOf(24)], "nginx")).toEqual([null, null, "nginx was 20 % off its median"]);
});

test("a round is void where others use more than a fifth of the machine, unless noise is let pass", () => {
  const rounds = [roundOf(20, { foreign: 0.21 }), roundOf(20, { foreign: 0.19 })];
  expect(voidReasons(rounds, "nginx")).toEqual(["21 % of the machine was busy with other things", null]);
  expect(voidReasons(rounds, "nginx", true)).toEqual([null, null]);
});

test("a round is void where a load client says that it means nothing", () => {
  expect(voidReasons([roundOf(20, { flaw: "the upstream was late" })], "nginx")).toEqual(["the upstream was late"]);
});

test("a round with one wrong answer is void, also in noise", () => {
  expect(voidReasons([roundOf(20, { wrong: 1 })], "nginx", true)).toEqual(["1 wrong answers of tollgate"]);
});

test("void rounds are repeated, and all systems have their turn between two of the reference", async () => {
  const orders: string[][] = [];
  let order: string[] = [];
  const rounds = await takeRounds({
    systems: ["direct", "nginx", "tollgate"],
    reference: "nginx",
    wanted: 3,
    noise: false,
    visit: async (system) => {
      order.push(system);
      return visitOf(system, 20, { wrong: orders.length === 1 ? 1 : 0 });
    },
    reportProgress: () => {
      orders.push(order);
      order = [];
    },
  });
  expect([rounds.valid.length, rounds.void.length]).toEqual([3, 1]);
  for (const each of orders) {
    expect([each[0], each.at(-1)]).toEqual(["nginx", "nginx"]);
    expect(each.slice(1, -1).toSorted()).toEqual(["direct", "tollgate"]);
  }
});

test("a machine that is never quiet has an end, too", async () => {
  const rounds = await takeRounds({
    systems: ["nginx"],
    reference: "nginx",
    wanted: 2,
    noise: false,
    visit: async (system) => visitOf(system, 20, { foreign: 0.5 }),
    reportProgress: () => {},
  });
  expect([rounds.valid.length, rounds.void.length]).toEqual([0, 4]);
});
