import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chatBody, postChat, type Reply } from "../money/post-chat.ts";
import { FlakyUpstream } from "../routes/flaky-upstream.ts";
import { routesConfig, tally } from "../routes/routed-gateway.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";

const HEADER = "canary-of-a-route-header";

describe.skipIf(!hasPostgres)("with two gateways on PostgreSQL", () => {
  const [first, second] = [new FlakyUpstream("first"), new FlakyUpstream("second")];
  let cluster: Cluster;
  let key: string;

  beforeAll(async () => {
    const weighted = [
      { upstream: "first", model: "exact", weight: 7 },
      { upstream: "second", model: "exact", weight: 3 },
    ];
    const limited = [
      { upstream: "first", model: "limited", limits: { requests_per_minute: 5 } },
      { upstream: "second", model: "limited", priority: 2 },
    ];
    const models = [
      { id: "exact", routes: weighted, selection: "exact", sticky: undefined },
      { id: "limited", routes: limited },
    ];
    cluster = await startCluster(2, { yaml: routesConfig([first, second], models) }, ["fsync=off"]);
    ({ key } = await cluster.gateways[0]!.makeKey());
  });
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([first.stop(), second.stop()]);
  });

  async function upstreamsOf(gateway: RunningGateway, model: string, times: number): Promise<string[]> {
    const replies: Reply[] = [];
    for (let at = 0; at < times; at++) replies.push(await postUntilVerified(() => postChat(gateway, key, chatBody(model))));
    return replies.map(({ status, headers }) => `${status} ${headers.get("x-tollgate-upstream")}`);
  }

  test("each gateway keeps exact weights, so that all of them together do", async () => {
    for (const gateway of cluster.gateways) {
      expect(tally(await upstreamsOf(gateway, "exact", 10))).toEqual({ "200 first": 7, "200 second": 3 });
    }
  });

  test("a rate limit of a route covers both together, and requests beyond it overflow", async () => {
    const served = await Promise.all(cluster.gateways.map((gateway) => upstreamsOf(gateway, "limited", 6)));
    expect(tally(served.flat())).toEqual({ "200 first": 5, "200 second": 7 });
  });

  test("defaults and headers of a route that one gateway was given are sent by the other, and never returned", async () => {
    const [here, there] = cluster.gateways as [RunningGateway, RunningGateway];
    const route = { upstream: "second", model: "set", defaults: { temperature: 0.25 }, headers: { "x-queue": HEADER } };
    await here.platform("POST", "/api/models", { id: "set", routes: [route], free: true, selection: "exact" });
    const shown = await eventually(
      () => there.platform<object>("GET", "/api/models/set").catch(() => undefined),
      (model) => model !== undefined,
    );
    expect(shown).toMatchObject({ selection: "exact", routes: [{ defaults: { temperature: 0.25 }, headers: ["x-queue"] }] });
    expect(JSON.stringify(shown)).not.toContain(HEADER);
    expect(await upstreamsOf(there, "set", 1)).toEqual(["200 second"]);
    const { body, headers } = second.requests.at(-1)!;
    expect([body["temperature"], headers.get("x-queue")]).toEqual([0.25, HEADER]);
  });
});
