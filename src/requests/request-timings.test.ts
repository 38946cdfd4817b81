import { expect, test } from "bun:test";
import type { Attempt } from "./attempt.ts";
import type { SettleEntry } from "../money/ledger-entry.ts";
import { outcomeOf } from "./outcome-of.ts";
import { RequestNotes, type EndedRequest } from "./request-notes.ts";
import { timingsOf } from "./request-timings.ts";

function ended(status: number, notes: Partial<RequestNotes>): EndedRequest {
  const about = { listener: "gateway", method: "POST", path: "/x", isProbe: false, requestId: "req_1", client: undefined };
  return { ...about, status, startedAt: 1000, endedAt: 1500, endedAtMs: 0, notes: Object.assign(new RequestNotes(), notes) };
}

const ATTEMPT: Attempt = { upstream: "a", upstreamModel: "m", startedAt: 1003, durationMs: 97, outcome: "answered", detail: undefined };
const CHARGE = { usage: { completionTokens: 41 } } as SettleEntry;
const STREAM = {
  isStream: true,
  attempts: [ATTEMPT],
  receivedAt: 1002,
  begunAt: 1100,
  repliedAt: 1101,
  charge: CHARGE,
  end: "complete",
} as const;

test("a stream has a time to first token, a time per token, and the gateway's overhead", () => {
  expect(timingsOf(ended(200, STREAM))).toEqual({ durationMs: 500, firstTokenMs: 100, perTokenMs: 10, overheadMs: 2 });
});

test("a JSON response has no time to first token", () => {
  const { firstTokenMs, perTokenMs, overheadMs } = timingsOf(ended(200, { ...STREAM, isStream: false, end: undefined }));
  expect([firstTokenMs, perTokenMs, overheadMs]).toEqual([undefined, undefined, 2]);
});

test("has no overhead where the head was sent before a slow response", () => {
  expect(timingsOf(ended(200, { ...STREAM, repliedAt: 1050 })).overheadMs).toBeUndefined();
});

test("a broken stream, and one of a single token, have no time per token", () => {
  expect(timingsOf(ended(200, { ...STREAM, end: "failed" })).perTokenMs).toBeUndefined();
  const one = { usage: { completionTokens: 1 } } as SettleEntry;
  expect(timingsOf(ended(200, { ...STREAM, charge: one })).perTokenMs).toBeUndefined();
});

test.each([
  ["complete", 200, {}],
  ["complete", 200, { end: "complete" }],
  ["replayed", 200, { replayed: "req_0" }],
  ["dry_run", 200, { isDryRun: true }],
  ["refused", 402, {}],
  ["failed", 502, {}],
  ["failed", 200, { end: "failed" }],
  ["client_closed", 499, {}],
  ["client_closed", 200, { end: "caller_gone" }],
] as const)("%s is how a request came out with %i and %p", (outcome, status, notes) => {
  expect(outcomeOf(ended(status, notes))).toBe(outcome);
});
