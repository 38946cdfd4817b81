import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Instance, InstanceList } from "../../platform-client/types.ts";
import { commandRunner } from "../commands/command-runner.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { untilServing as untilProcesses } from "../support/gateway/gateway-processes.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import { replace, requestReload } from "../support/gateway/reload-gateway.ts";
import { SHARED_SECRETS, startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";

describe.skipIf(!hasPostgres)("the config file of gateways that share a database", () => {
  let upstream: MockUpstream;
  let cluster: Cluster;
  let first: RunningGateway;
  let second: RunningGateway;
  let other: RunningGateway;
  let key: string;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-one": answer, "up-two": answer, "up-three": answer });
    cluster = await startCluster(0);
    first = await cluster.add({ yaml: fileWith("one") });
    second = await cluster.add({ yaml: fileWith("one") });
    ({ key } = await first.makeKey());
  });

  afterAll(async () => {
    await cluster?.stop();
    await upstream?.stop();
  });

  function fileWith(...models: readonly string[]): string {
    return configFor(upstream.baseUrl, models);
  }

  async function configsOf(...gateways: readonly RunningGateway[]): Promise<(Instance["config"] | undefined)[]> {
    const { data } = await first.platform<InstanceList>("GET", "/api/instances");
    return gateways.map((gateway) => data.find(({ pid }) => pid === gateway.pid)?.config);
  }

  async function untilConfigsAre(expected: readonly Instance["config"][], ...gateways: readonly RunningGateway[]): Promise<void> {
    await eventually(
      () => configsOf(...gateways),
      (configs) => Bun.deepEquals(configs, expected),
    );
  }

  async function countLoads(): Promise<number> {
    const { data } = await first.platform<{ data: object[] }>("GET", "/api/audit-log?action=config.load&limit=100");
    return data.length;
  }

  test("is declared once where it is the same", async () => {
    await untilConfigsAre(["declared", "declared"], first, second);
    expect([await modelsOf(first), await modelsOf(second), await countLoads()]).toEqual([["one"], ["one"], 1]);
    expect([eventsOf(first), eventsOf(second)]).toEqual([[], []]);
  });

  test("is reported where it differs, and the declared one is served", async () => {
    other = await cluster.add({ yaml: fileWith("one", "two") });
    await untilServing(other, "one");
    await untilLogged(other, "config_differs");
    await untilConfigsAre(["declared", "declared", "other"], first, second, other);
    const { stdout } = await commandRunner(first).run("instances", { env: SHARED_SECRETS });
    expect(stdout).toMatch(/^ID .* CONFIG /);
    expect(stdout.match(/ other /g)).toHaveLength(1);
    // The file is also checked after startup.
    await eventually(
      async () => (await postUntilVerified(() => postChat(other, key, chatBody("one")))).status,
      (status) => status === 200,
    );
    expect([await modelsOf(other), await countLoads()]).toEqual([["one"], 1]);
  });

  test("is declared for all by a reload in one of them", async () => {
    expect((await requestReload(other)).changed.added).toEqual([{ kind: "model", id: "two" }]);
    for (const gateway of [first, second, other]) {
      await untilServing(gateway, "one", "two");
      expect((await postUntilVerified(() => postChat(gateway, key, chatBody("two")))).status).toBe(200);
    }
    await untilConfigsAre(["other", "other", "declared"], first, second, other);
    for (const gateway of [first, second]) await untilLogged(gateway, "config_reloaded", "config_differs");
  });

  test("is declared for all where it changes on the disk of one of them", async () => {
    replace(second, fileWith("one", "two", "three"));
    for (const gateway of [first, second, other]) await untilServing(gateway, "one", "two", "three");
    await untilConfigsAre(["other", "declared", "other"], first, second, other);
    replace(first, fileWith("one", "two", "three"));
    await untilConfigsAre(["declared", "declared", "other"], first, second, other);
  });

  test("is served by one that has none", async () => {
    const without = await cluster.add();
    // In addition to the built-in model.
    await untilServing(without, "echo", "one", "three", "two");
    await untilConfigsAre([null], without);
    await without.end();
  });

  test("is replaced by the file of a start when no other has it", async () => {
    await Promise.all([first.end(), second.end()]);
    const started = await cluster.add({ folder: first.folder, yaml: fileWith("one", "two") });
    // Its file is the same as the file of the process that has differed until now.
    await untilServing(started, "one", "two");
    await untilServing(other, "one", "two");
    first = started;
    await untilConfigsAre(["declared", "declared"], started, other);
  });

  test("is the one of the machine, also in its gateway processes, where the declared one cannot be read at a start", async () => {
    const sql = new SQL(cluster.url.reveal(), { max: 1 });
    await sql`update declared_file set content = 'as of another version'`;
    await sql.close();
    const started = await cluster.add({ yaml: fileWith("three"), env: { TOLLGATE_PROCESSES: "2" } });
    await untilServing(started, "three");
    await untilLogged(started, "config_rejected", "config_differs");
    const clients = await ProcessClient.connectToEach(started, await untilProcesses(started, 2));
    for (const client of clients) {
      const statuses = [(await client.post(key, chatBody("three"))).status, (await client.post(key, chatBody("one"))).status];
      expect(statuses).toEqual([200, 403]);
      client.close();
    }
  });
});

function answer(): Response {
  return Response.json(completion());
}

async function modelsOf(gateway: RunningGateway): Promise<string[]> {
  const { data } = await gateway.platform<{ data: { id: string }[] }>("GET", "/api/models");
  return data.map(({ id }) => id).toSorted();
}

/** The names of log lines about the config file. */
function eventsOf(gateway: RunningGateway): unknown[] {
  return gateway
    .logLines()
    .map(({ event }) => event)
    .filter((event) => String(event).startsWith("config_"));
}

async function untilServing(gateway: RunningGateway, ...models: readonly string[]): Promise<void> {
  await eventually(
    () => modelsOf(gateway),
    (served) => served.join() === models.toSorted().join(),
  );
}

async function untilLogged(gateway: RunningGateway, ...events: readonly string[]): Promise<void> {
  await eventually(
    () => eventsOf(gateway),
    (logged) => logged.join() === events.join(),
  );
}
