import { expect, test } from "bun:test";
import { findCapacity, type Step } from "./stream-capacity.ts";

/** A stub system that is on time up to a number of streams. The memory identifies each step. */
function upTo(most: number) {
  return async (streams: number): Promise<Step> => ({ onTime: streams <= most, rssMib: streams / 10 });
}

test("gives the last number of streams that was on time, with the memory of that step", async () => {
  expect(await findCapacity([100, 200, 400], upTo(200), upTo(1000))).toEqual({ streams: 200, rssMib: 20, limit: "system" });
});

test("says that the load is the limit where it is late without a system, too", async () => {
  expect(await findCapacity([100, 200, 400], upTo(200), upTo(300))).toEqual({ streams: 200, rssMib: 20, limit: "load" });
});

test("says that no more was tried where every step was on time", async () => {
  expect(await findCapacity([100, 200], upTo(1000), upTo(0))).toEqual({ streams: 200, rssMib: 20, limit: "steps" });
});

test("tries a late step once more: a machine may be disturbed for a moment", async () => {
  const tried: number[] = [];
  const lateOnce = async (streams: number): Promise<Step> => ({ onTime: tried.push(streams) !== 2, rssMib: 1 });
  expect((await findCapacity([100, 200, 400], lateOnce, upTo(0))).streams).toBe(400);
  expect(tried).toEqual([100, 200, 200, 400]);
});

test("gives 0 where the first step was late", async () => {
  expect((await findCapacity([100, 200], upTo(50), upTo(1000))).streams).toBe(0);
});
