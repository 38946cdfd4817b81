import { expect, test } from "bun:test";
import { Candidates, letAnswer } from "../../../../test/routes/candidates.ts";

test("an operator is told what the last answer took to begin as it was measured, however long ago that was", () => {
  const candidates = new Candidates();
  const route = candidates.make("slow");
  expect(route.state.health.models).toMatchObject([{ upstreamModel: "m", latencyMs: undefined }]);
  letAnswer(route, 3000);
  letAnswer(route, 2000);
  route.health.failed(route.health.begin(), 9000);
  candidates.nowMs += 12 * 60_000;
  expect(route.state.health.models).toMatchObject([{ upstreamModel: "m", latencyMs: 2000, recent: { calls: 3, failures: 1 } }]);
});
