import { expect, test } from "bun:test";
import { mayResend } from "./may-resend.ts";

const SENT = { wasSent: true, hasReceived: false };

test("resends a POST when its reused connection closed early, before any byte of the response", () => {
  expect(mayResend(SENT, { startsWork: true, afterMs: 2_000 })).toBe(true);
});

test("does not resend a POST that the server may have processed, but resends a GET", () => {
  expect(mayResend(SENT, { startsWork: true, afterMs: 30_000 })).toBe(false);
  expect(mayResend(SENT, { startsWork: false, afterMs: 30_000 })).toBe(true);
});

test("resends nothing after the first byte of the response", () => {
  for (const startsWork of [true, false]) expect(mayResend({ wasSent: true, hasReceived: true }, { startsWork, afterMs: 0 })).toBe(false);
});

test("always resends a request that was not sent", () => {
  expect(mayResend({ wasSent: false, hasReceived: false }, { startsWork: true, afterMs: 60_000 })).toBe(true);
});
