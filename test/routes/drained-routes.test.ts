import { afterAll, beforeAll, expect, test } from "bun:test";
import { replace, requestReload } from "../support/gateway/reload-gateway.ts";
import { FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, type ModelTerms } from "./routed-gateway.ts";

const [drained, other, failing] = ["drained", "other", "failing"].map((id) => new FlakyUpstream(id)) as [
  FlakyUpstream,
  FlakyUpstream,
  FlakyUpstream,
];
const upstreams = [drained, other, failing];

/** Models with a route of this weight to the draining upstream. */
function configOf(weight: number): string {
  const [toDrained] = routesTo([drained]);
  const models: ModelTerms[] = [
    { id: "shared", routes: [{ ...toDrained, weight }, ...routesTo([other])] },
    { id: "sticky", routes: [{ ...toDrained, weight }, ...routesTo([other])], sticky: true },
    { id: "failover", routes: [...routesTo([failing]), { ...toDrained, weight, priority: 2 }] },
    { id: "alone", routes: [{ ...toDrained, weight }] },
  ];
  return routesConfig(upstreams, models);
}

let routed: RoutedGateway;
beforeAll(async () => {
  failing.does = rejectsWith(500);
  routed = await RoutedGateway.start(configOf(1));
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
});

/** Sends requests of thirty sessions, by number. */
async function converse(model: string): Promise<void> {
  const replies = Array.from({ length: 30 }, (_, at) =>
    routed.ask(model, { body: { messages: [{ role: "user", content: `conversation ${at}` }] } }),
  );
  for (const { status } of await Promise.all(replies)) expect(status).toBe(200);
}

test("a drained route gets no calls: not by weight, session affinity or failover, nor as the last one", async () => {
  for (const model of ["shared", "sticky"]) await converse(model);
  expect((await routed.ask("failover")).status).toBe(200);
  const before = drained.calls;
  expect(before).toBeGreaterThan(1);

  replace(routed.gateway, configOf(0));
  await requestReload(routed.gateway);
  for (const model of ["shared", "sticky"]) await converse(model);
  expect((await routed.ask("failover")).status).toBe(502);
  const alone = await routed.ask("alone");
  expect([alone.status, alone.text]).toEqual([503, expect.stringContaining("no_upstream_available")]);
  expect(drained.calls).toBe(before);

  const dryRun = await routed.ask("shared", { headers: { "x-dry-run": "1" } });
  expect(JSON.parse(dryRun.text)).toMatchObject({
    routes: [
      { upstream: "other", order: 1 },
      { upstream: "drained", standing: "drained", order: null },
    ],
  });

  replace(routed.gateway, configOf(1));
  await requestReload(routed.gateway);
  expect((await routed.ask("alone")).status).toBe(200);
}, 60_000);

test("a model of the platform can be drained, and shows it", async () => {
  const declared = { id: "made", routes: [{ upstream: "other", model: "m", weight: 0 }], free: true };
  expect(await routed.gateway.platform("POST", "/api/models", declared)).toMatchObject({ routes: [{ weight: 0, excluded: "drained" }] });
});
