import { afterAll, beforeAll, expect, test } from "bun:test";
import { hold, settlement } from "../support/money/ledger-samples.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const FAILED = [{ upstream: "hidden-u", upstreamModel: "hidden-m", fault: "failed", durationMs: 1, detail: "hidden words" }] as const;

let platform: PlatformInProcess;

beforeAll(async () => {
  platform = await openPlatform();
  const { ledger } = platform.stores;
  for (const id of ["settled", "released"]) await ledger.hold(hold(id, 5n));
  await ledger.settle(
    "settled",
    settlement(5n, {
      upstream: "hidden-v",
      upstreamModel: "hidden-n",
      attempts: 2,
      failedAttempts: FAILED,
      upstreamCostNanos: 50_000_000n,
    }),
  );
  ledger.release("released", "upstream_error", Date.now(), FAILED);
});
afterAll(() => platform.stop());

test.each([
  ["settled", "hidden-v", "hidden-n"],
  ["released", null, null],
])(
  "the receipt of a request that was %s hides upstreams, attempts and base prices from members, and nothing else",
  async (requestId, servedAt, servedAs) => {
    const asked = { params: { requestId } };
    const member = await platform.call(memberOf("acme"), "showReceipt", asked);
    const operator = await platform.call(OPERATOR, "showReceipt", asked);
    const { upstream, upstream_model: upstreamModel, upstream_cost: cost, failed_attempts: failed, ...seen } = operator.body;
    const { derived_from: derivedFrom, ...rest } = seen;
    expect(derivedFrom).toBeNull();
    expect([upstream, upstreamModel, cost, failed]).toEqual([
      servedAt,
      servedAs,
      servedAt === null ? null : "0.05",
      [{ upstream: "hidden-u", model: "hidden-m", fault: "failed", duration_ms: 1, detail: "hidden words" }],
    ]);
    expect([member.status, member.body]).toEqual([200, rest]);
    expect(member.text).not.toContain("hidden");
  },
);
