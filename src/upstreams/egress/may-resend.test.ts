import { expect, test } from "bun:test";
import { mayResend } from "./may-resend.ts";

const SENT = { wasSent: true, hasReceived: false };

test("a POST is sent again where its reused connection closed early, without a byte of a reply", () => {
  expect(mayResend(SENT, { startsWork: true, afterMs: 2_000 })).toBe(true);
});

test("a POST that the server may have worked on for long is not sent again, and a GET is", () => {
  expect(mayResend(SENT, { startsWork: true, afterMs: 30_000 })).toBe(false);
  expect(mayResend(SENT, { startsWork: false, afterMs: 30_000 })).toBe(true);
});

test("nothing is sent again after the first byte of a reply", () => {
  for (const startsWork of [true, false]) expect(mayResend({ wasSent: true, hasReceived: true }, { startsWork, afterMs: 0 })).toBe(false);
});

test("what was not sent is always sent again", () => {
  expect(mayResend({ wasSent: false, hasReceived: false }, { startsWork: true, afterMs: 60_000 })).toBe(true);
});
