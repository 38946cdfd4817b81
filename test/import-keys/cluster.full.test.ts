import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Account, KeyPage } from "../../platform-client/types.ts";
import { sha256Of } from "../../src/access/api-key.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { untilServing } from "../support/gateway/gateway-processes.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { SHARED_SECRETS, startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { createLiteLLMTables } from "./litellm-tables.ts";

const PROCESSES = 2;
/** Enough keys that each process usually serves some of them. */
const KEYS = 12;

describe.skipIf(!hasPostgres)("an import into a gateway with several processes on PostgreSQL", () => {
  const upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
  const secrets = Array.from({ length: KEYS }, (_, at) => `sk-${sha256Of(`cluster ${at}`).slice(0, 22)}`);
  let cluster: Cluster;
  let gateway: RunningGateway;
  let source: string;

  beforeAll(async () => {
    cluster = await startCluster(1, { yaml: configFor(upstream.baseUrl, ["good"]), env: { TOLLGATE_PROCESSES: String(PROCESSES) } });
    gateway = cluster.gateways[0]!;
    source = (await cluster.postgres.createDatabase()).reveal();
    const sql = new SQL(source, { max: 1 });
    await createLiteLLMTables(sql);
    await sql`insert into "LiteLLM_TeamTable" ${sql({ team_id: "prepaid", max_budget: 25, spend: 5 })}`;
    const rows = secrets.map((secret, at) => ({ token: sha256Of(secret), key_alias: `key ${at}`, team_id: "prepaid" }));
    await sql`insert into "LiteLLM_VerificationToken" ${sql(rows)}`;
    await sql.close();
    await untilServing(gateway, PROCESSES);
  });
  afterAll(async () => {
    await cluster?.stop();
    await upstream.stop();
  });

  async function apply(): Promise<object> {
    const env = { TOLLGATE_OPERATOR_TOKEN: SHARED_SECRETS.TOLLGATE_OPERATOR_TOKEN };
    const args = ["import", "keys", "--from", "-", "--apply", "--json"];
    const { code, stdout, stderr } = await runTollgate(gateway, args, { stdin: source, env });
    if (code !== 0) throw new Error(stderr);
    return (JSON.parse(stdout) as { applied: object }).applied;
  }

  /** Uses a new connection for each call, which the system spreads over the processes. */
  async function callAll(): Promise<string[]> {
    const replies = await Promise.all(secrets.map((secret) => postUntilVerified(() => postChat(gateway, secret, chatBody("good")))));
    return replies.map(({ status, code }) => `${status} ${code ?? ""}`.trim());
  }

  test("every process takes the old keys when the import has ended, and a second run changes nothing", async () => {
    expect(await callAll()).toEqual(secrets.map(() => "401 invalid_api_key"));
    expect(await apply()).toEqual({ accounts: { created: 1, updated: 0, unchanged: 0 }, keys: { created: KEYS }, credit: "20.00" });
    expect(await callAll()).toEqual(secrets.map(() => "200"));
    expect(await apply()).toEqual({ accounts: { created: 0, updated: 0, unchanged: 1 }, keys: { unchanged: KEYS }, credit: "0.00" });
    await eventually(
      () => gateway.platform<Account>("GET", "/api/accounts/team-prepaid"),
      ({ credit }) => Number(credit) < 20,
    );
  });

  test("a key that is revoked is rejected by every process, and a later import leaves it so", async () => {
    const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?account=team-prepaid&limit=100");
    for (const { id } of data) await gateway.platform("DELETE", `/api/keys/${id}`);
    // Waits for the database's notification.
    await eventually(callAll, (outcomes) => outcomes.every((outcome) => outcome === "401 invalid_api_key"));
    expect(await apply()).toMatchObject({ keys: { kept: KEYS } });
    expect(await callAll()).toEqual(secrets.map(() => "401 invalid_api_key"));
    expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });
});
