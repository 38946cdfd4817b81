/**
 * Keys of every kind in a real schema of LiteLLM, imported, changed at the source and imported again. Each call is compared with LiteLLM's own authentication
 * code (`user_api_key_auth`). It needs a virtual environment with `litellm[proxy]` and `prisma`: TOLLGATE_TEST_LITELLM=FOLDER.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { sha256Of } from "../../src/access/api-key.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { PostgresServer } from "../support/postgres/start-postgres.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { findLiteLLM } from "./find-litellm.ts";

const MODELS = ["good", "other"];
/** Model groups, by model. */
const GROUPS = { other: ["beta"] };
const TABLES = [
  "VerificationToken",
  "TeamTable",
  "UserTable",
  "BudgetTable",
  "ProjectTable",
  "AccessGroupTable",
  "DeprecatedVerificationToken",
];
const FUTURE = "2099-01-01 00:00:00";
const PAST = "2025-01-01 00:00:00";

type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | object>>;

const TEAMS: Readonly<Record<string, Fields>> = {
  plain: {},
  blocked: { blocked: true },
  narrow: { models: ["good"] },
  spent: { max_budget: 1, spend: 2 },
  "spent-monthly": { max_budget: 1, spend: 2, budget_duration: "30d", budget_reset_at: FUTURE },
  rich: { max_budget: 100, spend: 2, budget_duration: "7d", budget_reset_at: FUTURE },
  group: { models: ["beta"] },
  "by-group": { models: ["good"], access_group_ids: ["g"] },
};
const USERS: Readonly<Record<string, Fields>> = {
  ada: {},
  "narrow-user": { models: ["other"] },
  "spent-user": { max_budget: 1, spend: 1 },
  deactivated: { metadata: { scim_active: false } },
};
/** The fields of each kind of key. Each kind is tested for every team and user, and without either. */
const KINDS: Readonly<Record<string, Fields>> = {
  any: {},
  good: { models: ["good"] },
  beta: { models: ["beta"] },
  pattern: { models: ["oth*"] },
  "all-team": { models: ["all-team-models"] },
};
const SPECIAL: Readonly<Record<string, Fields>> = {
  blocked: { blocked: true },
  expired: { expires: PAST },
  expires: { expires: FUTURE },
  spent: { max_budget: 1, spend: 1 },
  "spent-daily": { max_budget: 1, spend: 1, budget_duration: "1d", budget_reset_at: FUTURE },
  "not-spent": { max_budget: 1, spend: 0.5, budget_duration: "30d", budget_reset_at: FUTURE },
  management: { allowed_routes: ["management_routes"] },
  "llm-routes": { allowed_routes: ["llm_api_routes"] },
  "chat-route": { allowed_routes: ["/v1/chat/completions"] },
  embeddings: { allowed_routes: ["/v1/embeddings"] },
  "by-group": { models: ["good"], access_group_ids: ["g"] },
  "blocked-project": { project_id: "blocked" },
  "narrow-project": { project_id: "narrow" },
};

const litellm = findLiteLLM();
const canRun = litellm !== undefined && existsSync(join(litellm.packages, "prisma")) && hasPostgres;

describe.skipIf(!canRun)("LiteLLM's authentication (skipped unless TOLLGATE_TEST_LITELLM has litellm[proxy] and prisma)", () => {
  const upstream = startMockUpstream({ "up-good": () => Response.json(completion()), "up-other": () => Response.json(completion()) });
  /** Plaintext keys, by name. */
  const secrets = new Map<string, string>();
  let server: PostgresServer;
  let url: string;
  let sql: SQL;
  let gateway: RunningGateway;

  beforeAll(async () => {
    [server, gateway] = await Promise.all([PostgresServer.start(), startGateway({ yaml: configFor(upstream.baseUrl, MODELS) })]);
    url = (await server.createDatabase()).reveal();
    sql = new SQL(url, { max: 1 });
    const migrations = join(litellm!.packages, "litellm_proxy_extras/migrations");
    for (const name of readdirSync(migrations).toSorted()) {
      const file = join(migrations, name, "migration.sql");
      if (existsSync(file)) await sql.unsafe(readFileSync(file, "utf8"));
    }
    await addRows();
  });
  afterAll(async () => {
    await sql?.close();
    await Promise.all([server?.stop(), gateway?.stop()]);
    await upstream.stop();
  });

  async function insert(table: string, fields: Fields): Promise<void> {
    const written = Object.entries(fields).map(([name, value]) => [name, literalOf(value)] as const);
    const columns = written.map(([name]) => `"${name}"`).join(", ");
    await sql.unsafe(`insert into "LiteLLM_${table}" (${columns}) values (${written.map(([, value]) => value).join(", ")})`);
  }

  async function addKey(name: string, fields: Fields): Promise<void> {
    const secret = `sk-${sha256Of(`compared ${name}`).slice(0, 22)}`;
    secrets.set(name, secret);
    await insert("VerificationToken", { token: sha256Of(secret), key_alias: name, models: [], ...fields });
  }

  async function addRows(): Promise<void> {
    const by = { created_by: "test", updated_by: "test" };
    const now = { updated_at: PAST };
    await insert("AccessGroupTable", { access_group_id: "g", access_group_name: "g", access_model_names: ["other"], ...now });
    await insert("ProxyModelTable", {
      model_id: "1",
      model_name: "other",
      litellm_params: {},
      model_info: { access_groups: ["beta"] },
      ...by,
      ...now,
    });
    for (const [id, fields] of Object.entries(TEAMS))
      await insert("TeamTable", { team_id: id, models: [], admins: [], members: [], ...now, ...fields });
    for (const [id, fields] of Object.entries(USERS)) await insert("UserTable", { user_id: id, models: [], ...now, ...fields });
    await insert("ProjectTable", { project_id: "blocked", team_id: "plain", models: [], blocked: true, ...by, ...now });
    await insert("ProjectTable", { project_id: "narrow", team_id: "plain", models: ["other"], ...by, ...now });
    const holders: readonly (readonly [name: string, columns: Fields])[] = [
      ...Object.keys(TEAMS).map((id) => [id, { team_id: id }] as const),
      ...Object.keys(USERS).map((id) => [id, { user_id: id }] as const),
      ["nobody", {}],
    ];
    for (const [holder, columns] of holders)
      for (const [kind, fields] of Object.entries(KINDS)) await addKey(`${holder} ${kind}`, { ...columns, ...fields });
    for (const [name, fields] of Object.entries(SPECIAL)) await addKey(`special ${name}`, { team_id: "plain", ...fields });
  }

  async function importKeys(): Promise<void> {
    const { code, stderr } = await runTollgate(gateway, ["import", "keys", "--from", "-", "--apply", "--json"], { stdin: url });
    if (code !== 0) throw new Error(stderr);
  }

  /** For each key, whether each model can be called. */
  async function outcomesHere(): Promise<Record<string, boolean[]>> {
    const outcomes: Record<string, boolean[]> = {};
    for (const [name, secret] of secrets) {
      const replies = await Promise.all(MODELS.map((model) => postChat(gateway, secret, chatBody(model))));
      outcomes[name] = replies.map(({ status }) => status === 200);
    }
    return outcomes;
  }

  async function outcomesThere(): Promise<Record<string, boolean[]>> {
    const tables: Record<string, unknown[]> = {};
    for (const table of TABLES) {
      const rows = (await sql.unsafe(`select row_to_json(t) as row from "LiteLLM_${table}" t`)) as { row: unknown }[];
      tables[`LiteLLM_${table}`] = rows.map(({ row }) => row);
    }
    const child = Bun.spawn([litellm!.python, join(import.meta.dir, "authenticate.py")], {
      env: { PATH: process.env["PATH"]!, LITELLM_LOCAL_MODEL_COST_MAP: "True" },
      stdin: Buffer.from(JSON.stringify({ tables, keys: Object.fromEntries(secrets), models: MODELS, groups: GROUPS })),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (code !== 0) throw new Error(stderr.slice(-2000));
    const outcomes = JSON.parse(stdout) as Record<string, string[]>;
    return Object.fromEntries(Object.entries(outcomes).map(([name, each]) => [name, each.map((outcome) => outcome === "accepted")]));
  }

  test("accepts the same calls with each of more than 60 keys, also after changes at the source", async () => {
    expect(secrets.size).toBeGreaterThan(60);
    await importKeys();
    const before = await outcomesHere();
    expect(before).toEqual(await outcomesThere());
    expect(new Set(Object.values(before).map(String)).size).toBe(4);

    const token = (name: string): string => `'${sha256Of(secrets.get(name)!)}'`;
    const keys = (...names: readonly string[]): string => `where token in (${names.map(token).join(", ")})`;
    await sql.unsafe(`delete from "LiteLLM_VerificationToken" ${keys("plain any", "plain good", "ada any", "nobody any", "rich any")}`);
    await sql.unsafe(`update "LiteLLM_VerificationToken" set blocked = true ${keys("narrow any", "ada good", "nobody good")}`);
    await sql.unsafe(`update "LiteLLM_VerificationToken" set expires = '${PAST}' ${keys("rich good", "special expires")}`);
    await sql.unsafe(`update "LiteLLM_VerificationToken" set models = '{other}' ${keys("plain pattern", "special llm-routes")}`);
    await sql.unsafe(`update "LiteLLM_VerificationToken" set spend = 1 ${keys("special not-spent")}`);
    await sql.unsafe(`update "LiteLLM_TeamTable" set blocked = true where team_id = 'by-group'`);
    // Regenerated: the row has another hash.
    secrets.set("regenerated", "sk-regenerated-0123456789");
    await sql.unsafe(
      `update "LiteLLM_VerificationToken" set token = '${sha256Of("sk-regenerated-0123456789")}' ${keys("special chat-route")}`,
    );
    await importKeys();
    const after = await outcomesHere();
    expect(after).toEqual(await outcomesThere());
    expect([after["plain any"], after["special chat-route"], after["regenerated"]]).toEqual([
      [false, false],
      [false, false],
      [true, true],
    ]);
  }, 600_000);
});

/** A PostgreSQL literal of a value. */
function literalOf(value: Fields[string]): string {
  if (Array.isArray(value)) return `array[${value.map((each) => `'${String(each)}'`).join(", ")}]::text[]`;
  return typeof value === "object" ? `'${JSON.stringify(value)}'` : `'${String(value)}'`;
}
