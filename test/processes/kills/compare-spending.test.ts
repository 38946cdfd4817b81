import { expect, test } from "bun:test";
import type { Attempt } from "../../crash/call-attempt.ts";
import type { Logs } from "../../crash/compare-logs.ts";
import type { LedgerRow } from "../../crash/read-ledger.ts";
import type { UpstreamCall } from "../../crash/truthful-upstream.ts";
import { spendingDiscrepancies } from "./compare-spending.ts";
import type { Spenders } from "./spenders.ts";

const NOTHING: LedgerRow = {
  id: 0,
  account_id: "poor",
  kind: "hold",
  amount_nanos: 0,
  at_ms: 110,
  actor: "key",
  reason: "a request",
  request_id: "req_1",
  hold_id: null,
  key_id: "key",
  reference: null,
  uncharged_nanos: null,
  prompt_tokens: null,
  cached_tokens: null,
  completion_tokens: null,
  provenance: null,
};
const GRANT: LedgerRow = {
  ...NOTHING,
  id: 1,
  kind: "grant",
  amount_nanos: 100,
  at_ms: 1,
  request_id: null,
  key_id: null,
  reference: "grant 1",
};
const HOLD: LedgerRow = { ...NOTHING, id: 2, amount_nanos: 40 };
const SETTLE: LedgerRow = { ...NOTHING, id: 3, kind: "settle", amount_nanos: 10, at_ms: 190, hold_id: 2 };
const ATTEMPT: Attempt = {
  keyId: "key",
  endpoint: "chat",
  marker: "m",
  isIdempotent: true,
  baseUrl: "http://127.0.0.1:8700/v1",
  sentAtMs: 100,
  endedAtMs: 200,
  end: "complete",
  status: 200,
  code: null,
  retryAfter: null,
  requestId: "req_1",
  replays: null,
  cost: null,
  promptTokens: null,
  completionTokens: null,
  text: "",
  bytes: "",
};
const REFUSED: Attempt = {
  ...ATTEMPT,
  marker: "n",
  sentAtMs: 300,
  endedAtMs: 310,
  end: "refused",
  status: 402,
  code: "insufficient_credits",
};
const CALL: UpstreamCall = { marker: "m", atMs: 120, promptTokens: 1, cachedTokens: 0, generated: 1, wholeText: "", aborted: false };
const CAP = { scope: "key", id: "key", maxNanos: 60n, confirmed: [{ atMs: 0, nanos: 60n }], stepNanos: 1n } as const;

function found(lie: Partial<Logs>, cap: object = CAP, granted: readonly string[] = ["grant 1"], propagationMs = 0): string {
  const caps = [{ ...CAP, ...cap }];
  const spenders = { caps, granted, accountOf: () => "poor", capsOf: () => caps } as unknown as Spenders;
  const logs = { entries: [GRANT, HOLD, SETTLE], attempts: [ATTEMPT], calls: [CALL], ...lie };
  return spendingDiscrepancies(logs, spenders, propagationMs).join("\n");
}

test("consistent logs have no discrepancy", () => {
  expect(found({})).toBe("");
  // The amount is held by a request in flight, was charged before, or is limited by a lower cap.
  expect(found({ attempts: [ATTEMPT, { ...REFUSED, sentAtMs: 150, endedAtMs: 160 }] })).toBe("");
  expect(found({ entries: [{ ...GRANT, amount_nanos: 49 }, HOLD, SETTLE], attempts: [ATTEMPT, REFUSED] })).toBe("");
  expect(found({ attempts: [ATTEMPT, REFUSED] }, { confirmed: [...CAP.confirmed, { atMs: 250, nanos: 49n }] })).toBe("");
  const killed = { ...SETTLE, kind: "release", amount_nanos: 0, actor: "recovery" } as const;
  expect(found({ entries: [GRANT, HOLD, killed], calls: [CALL, CALL] })).toBe("");
});

test("finds overspending, unjust refusals, lost grants and repeated calls", () => {
  expect(found({ entries: [{ ...GRANT, amount_nanos: 9 }, HOLD, SETTLE] })).toContain("poor has a credit of -1");
  expect(found({}, { maxNanos: 9n })).toContain("the key key has spent 10 of at most 9");
  expect(found({}, CAP, ["grant 1", "grant 2"])).toContain("grant 2 is not in the ledger");
  expect(found({ attempts: [ATTEMPT, REFUSED] })).toContain("insufficient_credits where 50 of 40 were left");
  expect(found({ calls: [CALL, CALL] })).toContain("sent to the upstream 2 times");
});

test("a process may refuse for a cap that was raised just now, and for charges of its own that arrive late", () => {
  const raised = {
    confirmed: [
      { atMs: 0, nanos: 49n },
      { atMs: 250, nanos: 60n },
    ],
  };
  expect(found({ attempts: [ATTEMPT, REFUSED] }, raised)).toContain("where 50 of 40 were left");
  expect(found({ attempts: [ATTEMPT, REFUSED] }, raised, ["grant 1"], 60)).toBe("");

  const late: LedgerRow = {
    ...NOTHING,
    id: 4,
    kind: "adjustment",
    amount_nanos: -11,
    request_id: null,
    key_id: null,
    reference: "late:req_2",
  };
  const lateOf = (key: string): Partial<Logs> => ({
    entries: [
      { ...GRANT, amount_nanos: 1000 },
      HOLD,
      SETTLE,
      { ...late, reason: `the process that served req_2 (m, key ${key}) came back` },
    ],
    attempts: [ATTEMPT, REFUSED],
  });
  expect(found(lateOf("key"))).toBe("");
  expect(found(lateOf("other"))).toContain("where 50 of 40 were left");
});
