import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { PartitionProxy } from "../support/postgres/partition-proxy.ts";
import { configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { billInFull, bodyFor, createKey } from "./billed-in-full.ts";

const HOUR_MS = 3_600_000;
const PRELOAD = join(import.meta.dir, "../chaos/shifted-clock.ts");

/** The monotonic clock stops while a machine is suspended. When the machine resumes, its wall clock is ahead by that time. */
describe.skipIf(!hasPostgres)("a machine that was suspended for longer than it may admit requests without the database", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
  const clockFile = join(folder, "shift");
  let upstream: MockUpstream;
  let cluster: Cluster;
  let network: PartitionProxy;
  let gateway: RunningGateway;

  beforeAll(async () => {
    writeFileSync(clockFile, "0");
    upstream = startMockUpstream({ "up-quick": billInFull });
    cluster = await startCluster(0, { yaml: configFor(upstream.baseUrl, ["quick"]) });
    network = await PartitionProxy.start(cluster.postgres.port);
    const url = new URL(cluster.url.reveal());
    url.port = String(network.port);
    const clock = { BUN_OPTIONS: `--preload=${PRELOAD}`, CLOCK_SHIFT_FILE: clockFile };
    gateway = await cluster.add({ env: { ...clock, TOLLGATE_DATABASE_URL: url.href, TOLLGATE_ADMIT_SECONDS: "300" } });
  });

  afterAll(async () => {
    await network?.stop();
    await cluster?.stop();
    await upstream?.stop();
    rmSync(folder, { recursive: true });
  });

  test("admits none before it has called the database again", async () => {
    const { key } = await createKey(gateway, "rich", 10n ** 12n);
    const post = (): ReturnType<typeof postChat> => postChat(gateway, key, bodyFor("quick"));
    expect((await postUntilVerified(post)).status).toBe(200);
    network.block("to_server", "to_client");
    expect((await post()).status).toBe(200);
    writeFileSync(clockFile, String(HOUR_MS));
    await eventually(post, ({ status, text }) => status === 503 && text.includes("cannot verify"));
    network.heal("is_reset");
    expect((await postUntilVerified(post)).status).toBe(200);
  });
});
