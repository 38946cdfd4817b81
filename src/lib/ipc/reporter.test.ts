import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { Reporter } from "./reporter.ts";

let sent: unknown[];
let news: string | undefined;
let takes: boolean[];
let reporter: Reporter;

beforeEach(() => {
  jest.useFakeTimers();
  [sent, news, takes] = [[], "news", []];
  reporter = new Reporter({
    name: "x",
    owner: { call: () => Promise.reject(new Error("no calls")), notify: (method, body) => sent.push([method, body]) },
    take(isFirst) {
      takes.push(isFirst);
      if (news === "fails") throw new Error("no news");
      return news;
    },
  });
});
afterEach(() => jest.useRealTimers());

/** Lets a second pass, and waits for everything that was started in it. */
async function passSecond(): Promise<void> {
  jest.advanceTimersByTime(1000);
  for (let turns = 0; turns < 10; turns++) await Promise.resolve();
}

test("reports when it is connected and then once a second, and nothing without news", async () => {
  reporter.connected();
  await passSecond();
  expect(sent).toEqual([
    ["x.report", "news"],
    ["x.report", "news"],
  ]);
  expect(takes).toEqual([true, false]);
  news = undefined;
  await passSecond();
  expect(sent).toHaveLength(2);
});

test("takes nothing while the owner is away, and says which report is the first to an owner", async () => {
  await passSecond();
  await reporter.report();
  expect(takes).toEqual([]);
  reporter.connected();
  await passSecond();
  reporter.disconnected();
  await passSecond();
  reporter.connected();
  await passSecond();
  expect(takes).toEqual([true, false, true, false]);
});

test("a report that fails, fails for the owner that asks, and does not end the next ones", async () => {
  reporter.connected();
  news = "fails";
  await passSecond();
  const [asked] = await Promise.allSettled([reporter.calls.collect()]);
  expect(asked).toMatchObject({ status: "rejected", reason: { message: "no news" } });
  news = "good";
  await passSecond();
  expect(sent.at(-1)).toEqual(["x.report", "good"]);
});
