import { expect, test } from "bun:test";
import { layOut } from "./waterfall.ts";

const streamed = { duration_ms: 200, first_token_ms: 100, stream: true, outcome: "complete" };

test("places attempts on one timeline", () => {
  const { totalMs, bars, firstToken } = layOut(streamed, [
    { started_ms: 20, duration_ms: 30, outcome: "failed" },
    { started_ms: 60, duration_ms: 40, outcome: "answered" },
  ]);
  expect(totalMs).toBe(200);
  expect(bars).toEqual([
    { start: 10, waiting: 15, streaming: 0, isInterrupted: false },
    { start: 30, waiting: 20, streaming: 50, isInterrupted: false },
  ]);
  expect(firstToken).toBe(50);
});

test("has no streaming part for a non-streaming response", () => {
  const [bar] = layOut({ ...streamed, stream: false, first_token_ms: null }, [
    { started_ms: 0, duration_ms: 150, outcome: "answered" },
  ]).bars;
  expect(bar).toEqual({ start: 0, waiting: 75, streaming: 0, isInterrupted: false });
});

test("marks only the streaming attempt of a failed request as interrupted", () => {
  const { bars } = layOut({ ...streamed, outcome: "failed" }, [
    { started_ms: 0, duration_ms: 50, outcome: "busy" },
    { started_ms: 50, duration_ms: 50, outcome: "answered" },
  ]);
  expect(bars.map(({ isInterrupted }) => isInterrupted)).toEqual([false, true]);
});

test("extends an attempt without an end to the end of the timeline", () => {
  expect(layOut(streamed, [{ started_ms: 100, duration_ms: null, outcome: null }]).bars[0]).toMatchObject({ start: 50, waiting: 50 });
});

test("keeps short and late attempts within the timeline", () => {
  const { bars } = layOut(streamed, [
    { started_ms: 199.99, duration_ms: 0.001, outcome: "unreachable" },
    { started_ms: 250, duration_ms: 150, outcome: "slow" },
  ]);
  for (const { start, waiting, streaming } of bars) {
    expect(waiting).toBeGreaterThan(0);
    expect(start + waiting + streaming).toBeLessThanOrEqual(100 + 1e-9);
  }
  expect(layOut({ ...streamed, duration_ms: 0 }, [{ started_ms: 0, duration_ms: 0, outcome: "answered" }]).bars[0]!.start).toBe(0);
});
