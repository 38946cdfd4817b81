import { expect, test } from "bun:test";
import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import { describeHealth, HEALTH_COLUMNS, rowsOf } from "./health.ts";
import { identityState } from "./format-identity.ts";

const MODEL = { model: "m", state: "healthy", probe_in_ms: 0, in_flight: 0, latency_ms: 9, recent_calls: 5, recent_failures: 0 } as const;
const FAILING = { source: null, expires_at: null, failure: "no file", refresh_failures: 1, clock_skew_ms: 899_000 };

function health(identity: UpstreamHealth["identity"]): UpstreamHealth {
  return { upstream: "u", in_flight: 0, queued: 0, models: [MODEL], credentials: [], identity };
}

function stateOf(identity: UpstreamHealth["identity"]): string {
  const [row] = rowsOf(health(identity));
  return HEALTH_COLUMNS.find(({ heading }) => heading === "STATE")!.cell(row!);
}

test("a model behind an identity without valid credentials is not healthy", () => {
  const expired = { ...FAILING, source: "a file", expires_at: "2020-01-01T00:00:00.000Z" };
  const valid = { ...expired, expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  expect([FAILING, expired, valid, null].map(stateOf)).toEqual(["no credentials", "no credentials", "healthy", "healthy"]);
  const states = [FAILING, expired, valid, { ...valid, failure: null }, { ...FAILING, failure: null }, null].map(identityState);
  expect(states).toEqual(["no credentials", "no credentials", "not refreshed", "valid", "not used yet", "-"]);
  expect(describeHealth(health(expired))).toContain(
    "credentials from a file, which expired at 2020-01-01T00:00:00.000Z; the clock of the gateway's machine is 899 s behind the cloud's clock",
  );
});
