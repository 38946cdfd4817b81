import { describe, expect, test } from "bun:test";
import { reasonOf } from "../../requests/cancellation-reason.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { CallerDeadline, DeadlineExceeded, readClientTimeout, readTimeout } from "./caller-deadline.ts";

const NOBODY = new AbortController().signal;

describe("x-timeout-ms", () => {
  test.each([
    [{ "x-timeout-ms": "2500" }, 2500],
    [{ "x-timeout-ms": "100", "x-stainless-timeout": "600" }, 100],
    [{ "x-stainless-timeout": "600" }, undefined],
    [{}, undefined],
  ] as [Record<string, string>, number | undefined][])("is what %j says", (headers, expected) => {
    expect(readTimeout(new Headers(headers), chatOf({}))).toBe(expected);
  });

  test.each(["0", "-5", "1.5", "soon", "", "1e999"])("cannot be %j", (text) => {
    expect(() => readTimeout(new Headers({ "x-timeout-ms": text }), chatOf({}))).toThrow("x-timeout-ms must be a number of milliseconds");
  });
});

test.each([
  ["600", 600_000],
  ["0.5", 500],
  ["soon", Number.POSITIVE_INFINITY],
  ["-1", Number.POSITIVE_INFINITY],
])("an official client that says %j hangs up after %p ms", (text, expected) => {
  expect(readClientTimeout(new Headers({ "x-stainless-timeout": text }))).toBe(expected);
});

describe("a deadline", () => {
  test("of the client itself aborts nothing, but no attempt starts after it", async () => {
    const deadline = new CallerDeadline(NOBODY, undefined, performance.now() - 50, new Headers({ "x-stainless-timeout": "0.04" }));
    expect([deadline.signal, deadline.remainingMs < 0]).toEqual([NOBODY, true]);
  });

  test("is the client's own signal without a timeout", () => {
    const deadline = new CallerDeadline(NOBODY, undefined, performance.now());
    expect(deadline.signal).toBe(NOBODY);
    expect(deadline.remainingMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("is reached with the client's timeout, and says so", async () => {
    const { signal } = new CallerDeadline(NOBODY, 20, performance.now());
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    expect(reasonOf(signal)).toBeInstanceOf(DeadlineExceeded);
  });

  test("ends when the client disconnects before it", () => {
    const caller = new AbortController();
    const deadline = new CallerDeadline(caller.signal, 60_000, performance.now());
    caller.abort();
    expect(reasonOf(deadline.signal)).toBeInstanceOf(CallerGone);
    deadline.disarm();
  });

  test("counts from the start of the request: it may be exceeded before any call", () => {
    const { signal, remainingMs } = new CallerDeadline(NOBODY, 100, performance.now() - 200);
    expect(signal.aborted).toBe(true);
    expect(remainingMs).toBeLessThan(0);
  });

  test("does not end a response that has started", async () => {
    const deadline = new CallerDeadline(NOBODY, 10, performance.now());
    deadline.disarm();
    await Bun.sleep(30);
    expect(deadline.signal.aborted).toBe(false);
  });

  test("beyond the range of timers is not exceeded at once", async () => {
    const deadline = new CallerDeadline(NOBODY, Number.MAX_SAFE_INTEGER, performance.now());
    await Bun.sleep(5);
    expect(deadline.signal.aborted).toBe(false);
    deadline.disarm();
  });
});

const read = (timeout: unknown, headers = {}): number | undefined => readTimeout(new Headers(headers), chatOf({ timeout }));

test("reads the timeout in the body, in seconds, where there is no header", () => {
  expect([read(30), read(0.5), read(null), read(30, { "x-timeout-ms": "7" })]).toEqual([30_000, 500, undefined, 7]);
  for (const timeout of ["30", 0, -1, true]) expect(() => read(timeout)).toThrow("timeout must be a number of seconds");
});
