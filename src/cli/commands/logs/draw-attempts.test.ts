import { expect, test } from "bun:test";
import type { LoggedAttempt, LoggedRequestInFull } from "../../../../platform-client/types.ts";
import { drawAttempts } from "./draw-attempts.ts";

const attempt = (started: number, duration: number | null, more: Partial<LoggedAttempt> = {}): LoggedAttempt => ({
  upstream: "east",
  model: "up-a",
  started_ms: started,
  duration_ms: duration,
  outcome: "answered",
  detail: null,
  fallback: null,
  ...more,
});

/** The timeline and the description of each attempt. */
function drawn(attempts: readonly LoggedAttempt[], durationMs: number, isStream = false): string[][] {
  const request = { duration_ms: durationMs, stream: isStream } as LoggedRequestInFull;
  const [, ...lines] = drawAttempts(attempts, request).split("\n").slice(0, -1);
  return lines.map((line) => line.split("│").slice(1));
}

test("attempts are drawn at their time, with their duration", () => {
  const failed = attempt(0, 100, { outcome: "failed", detail: "status 500" });
  expect(drawn([failed, attempt(200, 200)], 400)).toEqual([
    [`${"█".repeat(10)}${" ".repeat(30)}`, "  at 0 ms: failed after 100 ms (status 500)"],
    [`${" ".repeat(20)}${"█".repeat(20)}`, "  at 200 ms: responded after 200 ms"],
  ]);
});

test("a stream continues after its first chunk", () => {
  expect(drawn([attempt(0, 100)], 400, true)[0]![0]).toBe(`${"█".repeat(10)}${"░".repeat(30)}`);
});

test("an interrupted stream is marked", () => {
  const request = { duration_ms: 400, stream: true, outcome: "failed" } as LoggedRequestInFull;
  const written = drawAttempts([attempt(0, 50, { outcome: "slow" }), attempt(100, 100)], request);
  expect(written).toContain(
    `│${" ".repeat(10)}${"█".repeat(10)}${"░".repeat(19)}×│  at 100 ms: responded after 100 ms, interrupted at 400 ms\n`,
  );
  expect(written).toContain("at 0 ms: timed out after 50 ms\n");
});

test("every attempt is visible, and none exceeds the timeline", () => {
  for (const [started, duration, total] of [
    [0, 0, 0],
    [0, 0.01, 60_000],
    [60_000, 0.01, 60_000],
    [10, null, 20],
    [0, 500, 100],
    [500, 500, 100],
  ] as const) {
    const [[bar, words]] = drawn([attempt(started, duration)], total) as [[string, string]];
    expect(bar).toHaveLength(40);
    expect(bar).toContain("█");
    expect(words).toStartWith("  at ");
  }
});

test("the scale has the total duration", () => {
  const request = { duration_ms: 1234, stream: false } as LoggedRequestInFull;
  expect(drawAttempts([attempt(0, 1234)], request).split("\n")[0]).toBe(`   UPSTREAM  MODEL  │0${" ".repeat(34)}1.2 s│  ATTEMPT`);
});

test.each([48, 60, 80, 100])("in a terminal of %p no line is wider, and nothing is omitted", (width) => {
  const request = { duration_ms: 400, stream: false } as LoggedRequestInFull;
  const failed = attempt(0, 100, { model: "vendor/a-model-with-a-long-name", outcome: "failed", detail: "upstream status 500" });
  const written = drawAttempts([failed, attempt(200, 200)], request, width);
  for (const line of written.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
  expect(written.replaceAll(/\s+/g, " ")).toContain("failed after 100 ms (upstream status 500)");
  expect(written.includes("█")).toBe(width >= 100);
});
