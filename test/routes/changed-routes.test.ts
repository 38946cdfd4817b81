import { afterAll, beforeAll, expect, test } from "bun:test";
import { replace, requestReload } from "../support/gateway/reload-gateway.ts";
import { answers, FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally } from "./routed-gateway.ts";
import { eventually } from "../support/eventually.ts";

const RELOADS = 40;
const upstreams = ["a", "b", "c"].map((id) => new FlakyUpstream(id)) as [FlakyUpstream, FlakyUpstream, FlakyUpstream];
const [a, b, c] = upstreams;

/** Versions of the config file: routes are added and removed, with their upstreams, and their order changes. */
const CONFIGS = [
  routesConfig([a, b], [{ id: "m", routes: routesTo([a, b]) }]),
  routesConfig([b, c], [{ id: "m", routes: routesTo([b, c], true) }]),
  routesConfig([a, b, c], [{ id: "m", routes: routesTo([c, b, a], true), sticky: true }]),
  routesConfig(
    [a, b, c],
    [{ id: "m", routes: [{ upstream: "a", model: "m", weight: 5 }, ...routesTo([b, c])], timeouts: { total_ms: 60_000 } }],
  ),
];
let routed: RoutedGateway;

beforeAll(async () => {
  routed = await RoutedGateway.start(CONFIGS[0]!);
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
});

test("changing routes under load fails no request, and an unchanged upstream keeps its health", async () => {
  b.does = rejectsWith(500);
  const over = new AbortController();
  const outcomes: string[] = [];
  const caller = async (stream: boolean): Promise<void> => {
    while (!over.signal.aborted) {
      const { status, text } = await routed.ask("m", { stream });
      outcomes.push(`${status} ${stream ? text.endsWith("data: [DONE]\n\n") : text.includes("Hello world")}`);
    }
  };
  const callers = [true, false, true, false].map(caller);
  for (let turn = 1; turn <= RELOADS; turn++) {
    replace(routed.gateway, CONFIGS[turn % CONFIGS.length]!);
    await requestReload(routed.gateway);
  }
  await eventually(
    () => [outcomes.length, a.calls, c.calls],
    ([answered, ofA, ofC]) => answered! > RELOADS && ofA! > 5 && ofC! > 5,
  );
  over.abort();
  await Promise.all(callers);
  expect(Object.keys(tally(outcomes))).toEqual(["200 true"]);
  // The route is in every version of the file, so it stays ejected.
  expect(b.calls).toBeLessThan(30);
  b.does = answers;
});
