import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Gate } from "../money/gate.ts";
import { postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
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
  const gate = new Gate();

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-quick": billInFull, "up-held": (request) => gate.pass().then(() => billInFull(request)) });
    yaml = configFor(upstream.baseUrl, ["quick", "held"]);
    cluster = await startCluster(2, { yaml });
  });

  afterAll(async () => {
    gate.open();
    await cluster?.stop();
    await upstream?.stop();
  });

  test("cause no 429 by the requests in flight of a gateway that was killed", async () => {
    const [first] = cluster.gateways as [RunningGateway];
    const killed = await cluster.add({ yaml });
    const { key } = await createKey(first, "concurrent", holdOf("held") * 1000n, { limits: { concurrent_requests: 8 } });
    const broken = Promise.allSettled(Array.from({ length: 8 }, () => postChat(killed, key, bodyFor("held"))));
    await gate.holds(8);
    const post = async (): Promise<number> => (await postChat(first, key, bodyFor("quick"))).status;
    expect(await eventually(post, (status) => status !== 503)).toBe(429);
    process.kill(killed.pid, "SIGKILL");
    await broken;
    const statuses: number[] = [];
    await eventually(
      async () => statuses.push(await post()),
      () => statuses.at(-1) === 200,
    );
    gate.open();
    // The lost process is noticed after a quarter of a second, in which a few requests are rejected. In the ten seconds until a process
    // counts as lost, some 200 would be rejected.
    const refused = statuses.filter((status) => status === 429).length;
    expect(refused).toBeLessThan(50);
    expect(statuses.slice(refused)).not.toContain(429);
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
    // On a machine that stalls, the minute may already be over.
    if (performance.now() - startedAt < 60_000) expect(admitted).toBe(0);
  });
});
