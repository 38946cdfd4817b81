import { expect, test } from "bun:test";
import { Candidates, respond } from "../../../../test/routes/candidates.ts";

test("reports the time to first byte of the last response without decay", () => {
  const candidates = new Candidates();
  const route = candidates.make("slow");
  expect(route.state.health.models).toMatchObject([{ upstreamModel: "m", latencyMs: undefined }]);
  respond(route, 3000);
  respond(route, 2000);
  route.health.failed(route.health.begin(), 9000);
  candidates.nowMs += 12 * 60_000;
  expect(route.state.health.models).toMatchObject([{ upstreamModel: "m", latencyMs: 2000, recent: { calls: 3, failures: 1 } }]);
});
