import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { postChat } from "../money/post-chat.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { billInFull, bodyFor, createKey, holdOf } from "./billed-in-full.ts";

const LIMIT = 60;

describe.skipIf(!hasPostgres)("rate limits of gateways on one PostgreSQL database", () => {
  let upstream: MockUpstream;
  let cluster: Cluster;
  let yaml: string;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-quick": billInFull });
    yaml = configFor(upstream.baseUrl, ["quick"]);
    cluster = await startCluster(2, { yaml });
  });

  afterAll(async () => {
    await cluster?.stop();
    await upstream?.stop();
  });

  test("count what a gateway has admitted that was restarted, also after a crash of PostgreSQL within the minute", async () => {
    const [first, second] = cluster.gateways as [RunningGateway, RunningGateway];
    const { key } = await createKey(first, "limited", holdOf("quick") * 1000n, { limits: { requests_per_minute: LIMIT } });
    const startedAt = performance.now();
    const post = (gateway: RunningGateway): Promise<{ status: number }> =>
      postUntilVerified(() => postChat(gateway, key, bodyFor("quick")));
    const replies = await Promise.all(Array.from({ length: 2 * LIMIT }, (_, index) => post(index % 2 === 0 ? first : second)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(LIMIT);
    await second.end();
    const again = await cluster.add({ folder: second.folder, yaml });
    await cluster.postgres.kill();
    await cluster.postgres.restart();
    const after = await Promise.all([first, again, first, again].map(post));
    const admitted = after.filter(({ status }) => status === 200).length;
    // On a machine that stalls, the minute may be over by now.
    if (performance.now() - startedAt < 60_000) expect(admitted).toBe(0);
  });
});
