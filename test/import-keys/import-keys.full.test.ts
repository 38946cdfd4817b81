import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { Account, KeyPage } from "../../platform-client/types.ts";
import { sha256Of } from "../../src/access/api-key.ts";
import { parseConfigFile } from "../../src/config/config-file.ts";
import { chatBody, postChat, type Reply } from "../money/post-chat.ts";
import { runTollgate, type Outcome } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { PostgresServer } from "../support/postgres/start-postgres.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { createLiteLLMTables } from "./litellm-tables.ts";
import { SALT_KEY, STORED } from "./stored-models.ts";

const KEYS = isLong ? 10_000 : 1_000;
const TEAMS = 50;

interface Result {
  readonly from: string;
  readonly is_dry_run: boolean;
  readonly not_compared: string | null;
  readonly accounts: number;
  readonly keys: number;
  readonly applied: { readonly accounts: object; readonly keys: object; readonly credit: string } | null;
  readonly notes: readonly { readonly why: string; readonly count: number; readonly subjects: readonly string[] }[];
}

let folder: string;
let gateway: RunningGateway;
const upstream = startMockUpstream({ "up-good": () => Response.json(completion()), "up-other": () => Response.json(completion()) });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-import-keys-"));
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good", "other"]) });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true });
});

async function importFrom(source: string, ...more: readonly string[]): Promise<Result> {
  return resultOf(await runTollgate(gateway, ["import", "keys", "--from", source, "--json", ...more]));
}

/** The URL of a database contains a password, so it is passed through stdin. */
async function importPiped(url: string, ...more: readonly string[]): Promise<Result> {
  return resultOf(await runTollgate(gateway, ["import", "keys", "--from", "-", "--json", ...more], { stdin: `${url}\n` }));
}

function resultOf({ code, stdout, stderr }: Outcome): Result {
  if (code !== 0) throw new Error(stderr);
  const result = JSON.parse(stdout) as Result;
  return { ...result, notes: result.notes.filter(({ why }) => why !== "files that are not in the folder were read as empty tables") };
}

function call(key: string, model = "good"): Promise<Reply> {
  return postChat(gateway, key, chatBody(model));
}

function outcome({ status, code }: Reply): string {
  return `${status} ${code ?? ""}`.trim();
}

const reasons = ({ notes }: Result): readonly string[] => notes.map(({ why }) => why);

/** A key of LiteLLM. */
const secretOf = (index: number): string => `sk-${sha256Of(`litellm ${index}`).slice(0, 22)}`;
/** A key of new-api, in its stored form. */
const plain = (index: number): string => sha256Of(`new-api ${index}`).slice(0, 48);

describe.skipIf(!hasPostgres)("LiteLLM's PostgreSQL", () => {
  let server: PostgresServer;
  let sql: SQL;
  let url: string;

  beforeAll(async () => {
    server = await PostgresServer.start();
    url = (await server.createDatabase()).reveal();
    sql = new SQL(url, { max: 1 });
    await createLiteLLMTables(sql);
    const teams = Array.from({ length: TEAMS }, (_, at) => ({ team_id: `Team ${at}`, team_alias: `Alias ${at}`, rpm_limit: 100_000 }));
    await sql`insert into "LiteLLM_TeamTable" ${sql(teams)}`;
    await sql`insert into "LiteLLM_TeamTable" (team_id, max_budget, spend) values ('prepaid', 25, 5.5)`;
    await sql`insert into "LiteLLM_TeamTable" (team_id, max_budget, budget_duration, blocked) values ('monthly', 40, '30d', true)`;
    await sql`insert into "LiteLLM_UserTable" (user_id, user_email) values ('ada', 'ada@example.com')`;
    await sql`insert into "LiteLLM_BudgetTable" (budget_id, max_budget, budget_duration, rpm_limit) values ('weekly', 7, '7d', 3)`;
    const keys = Array.from({ length: KEYS }, (_, at) => ({
      token: sha256Of(secretOf(at)),
      key_alias: `key ${at}`,
      team_id: `Team ${at % TEAMS}`,
    }));
    for (let at = 0; at < KEYS; at += 1000) await sql`insert into "LiteLLM_VerificationToken" ${sql(keys.slice(at, at + 1000))}`;
    const insert = (index: number, fields: object): Promise<unknown> =>
      sql`insert into "LiteLLM_VerificationToken" ${sql({ token: sha256Of(secretOf(index)), ...fields })}`;
    await insert(-1, { key_alias: "poor", user_id: "ada", max_budget: 3, spend: 3 });
    await insert(-2, { key_alias: "prepaid", team_id: "prepaid" });
    await insert(-3, { key_alias: "of a blocked team", team_id: "monthly" });
    await insert(-4, { key_alias: "weekly", budget_id: "weekly" });
    await insert(-5, { key_alias: "expired", expires: "2025-01-01 00:00:00" });
    await sql.unsafe(`insert into "LiteLLM_VerificationToken" (token, key_alias, models, aliases, user_id)
      values ('${sha256Of(secretOf(-6))}', 'narrow', '{good,"gpt-*"}', '{"a": "b"}', 'ada')`);
    await sql`insert into "LiteLLM_ProxyModelTable" (model_id, model_name, litellm_params) values ('1', 'in-database', '{}')`;
  });
  afterAll(async () => {
    await sql?.close();
    await server?.stop();
  });

  test("thousands of keys come along, with people and money; a second run changes nothing", async () => {
    const dry = await importPiped(url);
    expect(dry).toMatchObject({ from: "litellm", is_dry_run: true, keys: KEYS + 5, accounts: TEAMS + 4, applied: null });
    expect((await gateway.platform<KeyPage>("GET", "/api/keys?imported=true")).total).toBe(0);
    expect(reasons(dry)).toEqual([
      "a budget per 30d became a spend cap per calendar month (UTC)",
      "keys of blocked teams were imported as paused",
      "a budget per 7d became a spend cap per calendar month (UTC), of as much per day",
      "keys that have expired were omitted",
      "not supported: aliases of keys: add models of these names",
      "models in LiteLLM's database were not imported: name its salt key by --salt-key-file",
    ]);
    expect((await importFrom(url, "--apply")).applied).toEqual({
      accounts: { created: TEAMS + 4, updated: 0, unchanged: 0 },
      keys: { created: KEYS + 5 },
      credit: "19.50",
    });
    expect((await importFrom(url, "--apply")).applied).toEqual({
      accounts: { created: 0, updated: 0, unchanged: TEAMS + 4 },
      keys: { unchanged: KEYS + 5 },
      credit: "0.00",
    });
  });

  test("models of its database are a config file where the salt key is given; with another key nothing is imported or written", async () => {
    const [right, wrong, out] = ["salt-key.txt", "other.txt", "models.yaml"].map((name) => join(folder, name)) as [string, string, string];
    writeFileSync(right, `${SALT_KEY}\n`);
    writeFileSync(wrong, "sk-another\n");
    const small = (await server.createDatabase()).reveal();
    const rows = new SQL(small, { max: 1 });
    await createLiteLLMTables(rows);
    for (const [table, its] of Object.entries(STORED)) for (const row of its) await rows`insert into ${rows(table)} ${rows(row)}`;
    await rows`insert into "LiteLLM_VerificationToken" ${rows({ token: sha256Of(secretOf(-8)) })}`;
    await rows.close();
    for (const [options, why] of [
      [["--salt-key-file", wrong, "--out", out, "--apply"], "cannot be decrypted with this salt key"],
      [["--out", out, "--apply"], "need its salt key: --salt-key-file FILE"],
      [["--salt-key-file", "-"], "cannot both be read from stdin"],
    ] as const) {
      const [failed] = await Promise.allSettled([importPiped(small, ...options)]);
      expect(String((failed as PromiseRejectedResult).reason)).toContain(why);
    }
    expect([existsSync(out), outcome(await call(secretOf(-8)))]).toEqual([false, "401 invalid_api_key"]);

    const converted = await importPiped(small, "--salt-key-file", right, "--out", out);
    expect(reasons(converted)).not.toContainEqual(expect.stringContaining("models in LiteLLM's database"));
    expect(readFileSync(out, "utf8")).toContain("credential: ${DB_OPENAI_API_KEY}\n");
    expect(readFileSync(`${out}.env`, "utf8")).toContain("DB_ANTHROPIC_API_KEY=sk-ant-shared-secret\n");
    expect(statSync(`${out}.env`).mode & 0o777).toBe(0o600);
  });

  test("100 callers go on with their old key, and limits, caps and states are LiteLLM's", async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, (_, at) => call(secretOf((at * 97) % KEYS))));
    expect(new Set(replies.map(outcome))).toEqual(new Set(["200"]));
    const special = await Promise.all([-1, -2, -3, -4, -5, -6, -7].map((index) => call(secretOf(index))));
    expect(special.map(outcome)).toEqual([
      "402 budget_exceeded",
      "200",
      "401 api_key_paused",
      "200",
      "401 invalid_api_key",
      "200",
      "401 invalid_api_key",
    ]);
    expect(outcome(await call(secretOf(-6), "other"))).toBe("403 model_not_allowed");
    const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?search=weekly");
    expect(data).toMatchObject([{ account: "imported-litellm", caps: { month: "30.00" }, limits: { requests_per_minute: 3 } }]);
    const prepaid = await gateway.platform<Account>("GET", "/api/accounts/team-prepaid");
    expect(prepaid).toMatchObject({ credit_line: null, name: "prepaid" });
    expect(Number(prepaid.credit)).toBeLessThan(19.5);
  });

  test("until the switch another run takes over what has changed, and what was revoked here stays revoked", async () => {
    await sql`update "LiteLLM_TeamTable" set spend = 6 where team_id = 'prepaid'`;
    await sql`update "LiteLLM_VerificationToken" set blocked = true where token = ${sha256Of(secretOf(0))}`;
    const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?search=weekly");
    await gateway.platform("DELETE", `/api/keys/${data[0]!.id}`);
    const again = await importFrom(url, "--apply");
    expect(again.applied).toMatchObject({ keys: { unchanged: KEYS + 3, updated: 1, kept: 1 }, credit: "-0.50" });
    expect([outcome(await call(secretOf(0))), outcome(await call(secretOf(-4)))]).toEqual(["401 api_key_paused", "401 invalid_api_key"]);
    expect((await importFrom(url, "--apply")).applied).toMatchObject({ keys: { unchanged: KEYS + 4, kept: 1 }, credit: "0.00" });
    expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });
});

describe("new-api's SQLite file", () => {
  let path: string;

  beforeAll(() => {
    path = join(folder, "one-api.db");
    const file = new Database(path);
    file.run(
      `create table users (id integer primary key, username text, display_name text, quota integer, status integer, "group" text, deleted_at text)`,
    );
    file.run(`create table tokens (id integer primary key, user_id integer, key text, status integer, name text, created_time integer,
      expired_time integer, remain_quota integer, unlimited_quota numeric, model_limits_enabled numeric, model_limits text, allow_ips text, "group" text,
      deleted_at text)`);
    file.run(`create table channels (id integer primary key, type integer, key text, status integer, name text, weight integer, base_url text,
      models text, model_mapping text, priority integer)`);
    file.run(`create table options (key text primary key, value text)`);
    file.run(`insert into users values (1, 'root', 'Root', 1250000, 1, 'default', null), (2, 'bob', '', 500000, 2, 'vip', null)`);
    const token = (id: number, user: number, status: number, rest: string): void => {
      file.run(`insert into tokens values (${id}, ${user}, '${plain(id)}', ${status}, 'token ${id}', 1750000000, ${rest}, null)`);
    };
    token(1, 1, 1, "-1, 0, 1, 0, '', '', ''");
    token(2, 1, 1, "-1, 250000, 0, 1, 'good,gpt-4o', '10.0.0.0/8', ''");
    token(3, 1, 4, "-1, 0, 0, 0, '', '', ''");
    token(4, 1, 1, "1700000000, 0, 1, 0, '', '', ''");
    token(5, 2, 1, "-1, 0, 1, 0, '', '', ''");
    file.run(`insert into channels values (1, 1, 'sk-upstream-1', 1, 'OpenAI', 5, '', 'gpt-4o,small', '{"small": "gpt-4o-mini"}', 10),
      (2, 8, 'sk-upstream-2', 1, 'Own', 0, 'https://llm.example.com/v1', 'gpt-4o', '', 0), (3, 18, 'x', 1, 'Xunfei', 0, '', 'spark', '', 0)`);
    file.run(
      `insert into options values ('ModelRatio', '{"gpt-4o": 1.25}'), ('CompletionRatio', '{"gpt-4o": 4}'), ('CacheRatio', '{"gpt-4o": 0.5}')`,
    );
    file.close();
  });

  test("keys are called as before, users are accounts with their quota as credit, and a second run changes nothing", async () => {
    const first = await importFrom(path, "--apply");
    expect(first).toMatchObject({ from: "new-api", accounts: 2, keys: 4, applied: { keys: { created: 4 }, credit: "3.50" } });
    expect(reasons(first)).toContainValues([
      "keys that have expired were omitted",
      "keys of disabled users were imported as paused",
      "the addresses that keys may be used from have no counterpart",
      "channels of type 18 have no counterpart: add the upstream by hand",
    ]);
    expect((await importFrom(`sqlite:${path}`, "--apply")).applied).toMatchObject({ keys: { unchanged: 4 }, credit: "0.00" });
    const replies = await Promise.all([1, 2, 3, 4, 5].map((id) => call(`sk-${plain(id)}`)));
    expect(replies.map(outcome)).toEqual(["200", "200", "402 budget_exceeded", "401 invalid_api_key", "401 api_key_paused"]);
    expect(outcome(await call(`sk-${plain(2)}`, "other"))).toBe("403 model_not_allowed");
    const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?account=user-1&search=token 2");
    expect(data).toMatchObject([{ caps: { total: "0.50" }, imported: { from: "new-api" }, created_at: "2025-06-15T15:06:40.000Z" }]);
  });

  test("channels and ratios are a config file that passes, with the credentials beside it", async () => {
    const out = join(folder, "tollgate.yaml");
    await importFrom(path, "--out", out);
    const environment = { CHANNEL_1_KEY: "sk-upstream-1", CHANNEL_2_KEY: "sk-upstream-2" };
    const { upstreams, catalog } = parseConfigFile(readFileSync(out, "utf8"), "tollgate.yaml", environment, 0);
    expect(upstreams.map(({ id }) => id)).toEqual(["channel-1", "channel-2"]);
    const routes = catalog.get("gpt-4o")!.routes.map(({ upstream: id, priority, weight }) => [id, priority, weight]);
    expect(routes).toEqual([
      ["channel-1", 1, 5],
      ["channel-2", 11, 1],
    ]);
    expect(catalog.get("small")!.routes[0]!.upstreamModel).toBe("gpt-4o-mini");
    expect(catalog.get("gpt-4o")!.prices.at(-1)!.rates).toMatchObject({ inputPicos: 2_500_000n, outputPicos: 10_000_000n });
    expect(readFileSync(`${out}.env`, "utf8")).toBe("CHANNEL_1_KEY=sk-upstream-1\nCHANNEL_2_KEY=sk-upstream-2\n");
    expect(statSync(`${out}.env`).mode & 0o777).toBe(0o600);
    const failure = async (): Promise<string> => {
      const [again] = await Promise.allSettled([importFrom(path, "--out", out)]);
      return String((again as PromiseRejectedResult).reason);
    };
    expect(await failure()).toContain("tollgate.yaml.env cannot be written: EEXIST");
    // Of the two output files, neither is written without the other.
    rmSync(out);
    await failure();
    expect(existsSync(out)).toBe(false);
    renameSync(`${out}.env`, out);
    expect(await failure()).toContain("tollgate.yaml cannot be written: EEXIST");
    expect(existsSync(`${out}.env`)).toBe(false);
  });
});

test("a folder of CSV files is read as the tables themselves", async () => {
  const csv = mkdtempSync(join(folder, "csv-"));
  const [one, two] = ["sk-csv-0123456789abcdef-1", "sk-csv-0123456789abcdef-2"];
  writeFileSync(
    join(csv, "LiteLLM_VerificationToken.csv"),
    `token,key_alias,models,team_id,expires,blocked,max_budget,spend,metadata\r\n` +
      `${sha256Of(one)},"with, comma","{good,""a b""}",t-csv,2099-01-01 00:00:00,f,2.5,0.5,"{""a"": 1}"\r\n${sha256Of(two)},,{},t-csv,,t,,0,{}\r\n`,
  );
  writeFileSync(join(csv, "LiteLLM_TeamTable.csv"), "team_id,team_alias,max_budget,spend,blocked\nt-csv,CSV team,,1,f\n");
  expect((await importFrom(csv, "--apply")).applied).toMatchObject({ accounts: { created: 1 }, keys: { created: 2 } });
  expect([outcome(await call(one)), outcome(await call(two))]).toEqual(["200", "401 api_key_paused"]);
  const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?account=team-t-csv&search=with");
  expect(data).toMatchObject([
    { name: "with, comma", models: ["good", "a-b"], caps: { total: "2.00" }, expires_at: "2099-01-01T00:00:00.000Z" },
  ]);
});

test("a key is not imported without the team or the expiry that limit it, and an archived account stays so", async () => {
  const csv = mkdtempSync(join(folder, "csv-"));
  const keys = ["zoned", "unreadable", "lost"].map((name) => `sk-csv-0123456789abcdef-${name}`);
  const [zoned, unreadable, lost] = keys as [string, string, string];
  writeFileSync(
    join(csv, "LiteLLM_VerificationToken.csv"),
    `token,key_alias,team_id,expires\n${sha256Of(zoned)},zoned,t-left,2099-01-01 02:00:00+02\n` +
      `${sha256Of(unreadable)},unreadable,t-left,soon\n${sha256Of(lost)},lost,t-gone,\n`,
  );
  writeFileSync(join(csv, "LiteLLM_TeamTable.csv"), "team_id,max_budget,spend\nt-left,,0\n");
  const first = await importFrom(csv, "--apply");
  expect(first).toMatchObject({ accounts: 1, keys: 1, applied: { keys: { created: 1 } } });
  expect(first.notes).toEqual([
    { why: "keys with an expiry that cannot be read were omitted", count: 1, subjects: ["key unreadable"] },
    { why: "keys whose team does not exist were omitted", count: 1, subjects: ["key lost"] },
  ]);
  const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?account=team-t-left");
  expect(data).toMatchObject([{ name: "zoned", expires_at: "2099-01-01T00:00:00.000Z" }]);

  await gateway.platform("PATCH", "/api/accounts/team-t-left", { archived: true });
  const again = await importFrom(csv, "--apply");
  expect(again.applied).toMatchObject({ accounts: { created: 0, updated: 0, unchanged: 0 }, keys: {} });
  expect(reasons(again)).toContain("accounts that were archived here were left so, without the keys at the source");
});

test("an account that was here before, with keys of its own, is not taken over", async () => {
  const csv = mkdtempSync(join(folder, "csv-"));
  await gateway.platform("POST", "/api/accounts", { id: "team-ours", name: "Ours", caps: { month: "5" } });
  await gateway.platform("POST", "/api/keys", { name: "ours", models: ["*"], account: "team-ours" });
  writeFileSync(join(csv, "LiteLLM_VerificationToken.csv"), `token,team_id\n${sha256Of("sk-csv-0123456789abcdef-ours")},ours\n`);
  writeFileSync(join(csv, "LiteLLM_TeamTable.csv"), "team_id,max_budget,spend\nours,10,0\n");
  const { applied, notes } = await importFrom(csv, "--apply");
  expect(applied).toEqual({ accounts: { created: 0, updated: 0, unchanged: 0 }, keys: {}, credit: "0.00" });
  expect(notes).toMatchObject([{ subjects: ["account team-ours"] }]);
  const kept = await gateway.platform<Account>("GET", "/api/accounts/team-ours");
  expect(kept).toMatchObject({ name: "Ours", caps: { month: "5.00" }, credit: "0.00" });
});

/** Users `same-1`, `same-2`, …, each with a key and a budget of $10. */
function writeUsers(source: string, keys: readonly string[], spend = 0): void {
  const tokens = keys.map((name, at) => `${sha256Of(`sk-csv-0123456789abcdef-${name}`)},${name},same-${at + 1}\n`);
  writeFileSync(join(source, "LiteLLM_VerificationToken.csv"), `token,key_alias,user_id\n${tokens.join("")}`);
  const users = keys.map((_, at) => `same-${at + 1},10,${spend}\n`);
  writeFileSync(join(source, "LiteLLM_UserTable.csv"), `user_id,max_budget,spend\n${users.join("")}`);
}

test("a second source whose users have the same IDs gets accounts of its own, also in later runs", async () => {
  const [first, second] = ["first", "second"].map((name) => mkdtempSync(join(folder, `${name}-`))) as [string, string];
  writeUsers(first, ["one", "two"]);
  writeUsers(second, ["three"]);
  expect((await importFrom(first, "--apply")).applied).toMatchObject({ accounts: { created: 2 }, keys: { created: 2 }, credit: "20.00" });
  const dry = await importFrom(second);
  const other = await importFrom(second, "--apply");
  expect(other.applied).toMatchObject({ accounts: { created: 1 }, keys: { created: 1 }, credit: "10.00" });
  const why = "another source has accounts with the same IDs: the IDs of the accounts of this one end in -2";
  expect(other.notes).toEqual([{ why, count: 1, subjects: ["account user-same-1-2"] }]);
  expect(dry).toMatchObject({ is_dry_run: true, applied: null, not_compared: null, notes: other.notes });
  const unreachable = { env: { TOLLGATE_PLATFORM_PORT: "1" } };
  const alone = resultOf(await runTollgate(gateway, ["import", "keys", "--from", second, "--json"], unreachable));
  expect(alone).toMatchObject({ accounts: 1, not_compared: expect.stringContaining("no gateway is reachable"), notes: [] });

  // The same database at another URL, with another user and a changed credit.
  const moved = mkdtempSync(join(folder, "moved-"));
  writeUsers(moved, ["three", "four"], 4);
  const again = await importFrom(moved, "--apply");
  expect(again.applied).toEqual({
    accounts: { created: 1, updated: 0, unchanged: 1 },
    keys: { created: 1, unchanged: 1 },
    credit: "2.00",
  });
  expect((await importFrom(first, "--apply")).applied).toMatchObject({
    accounts: { unchanged: 2 },
    keys: { unchanged: 2 },
    credit: "0.00",
  });
  expect((await importFrom(moved, "--apply")).applied).toMatchObject({ accounts: { unchanged: 2 }, credit: "0.00" });
  const credits = await Promise.all(
    ["user-same-1", "user-same-1-2", "user-same-2", "user-same-2-2"].map((id) => gateway.platform<Account>("GET", `/api/accounts/${id}`)),
  );
  expect(credits.map(({ credit }) => credit)).toEqual(["10.00", "6.00", "10.00", "6.00"]);
});

test("a key that has moved between teams whose IDs differ by such an ending is not evidence of another source", async () => {
  const source = mkdtempSync(join(folder, "teams-"));
  const write = (teamOfFirst: string): void => {
    const tokens = [teamOfFirst, "dev", "dev"].map((team, at) => `${sha256Of(`sk-csv-0123456789abcdef-team-${at}`)},${team}\n`);
    writeFileSync(join(source, "LiteLLM_VerificationToken.csv"), `token,team_id\n${tokens.join("")}`);
    writeFileSync(join(source, "LiteLLM_TeamTable.csv"), "team_id,max_budget,spend\ndev,10,0\ndev-2,5,0\n");
  };
  write("dev-2");
  await importFrom(source, "--apply");
  write("dev");
  const { applied, notes } = await importFrom(source, "--apply");
  expect(applied).toMatchObject({ accounts: { unchanged: 1 }, keys: { unchanged: 2, conflict: 1 }, credit: "0.00" });
  expect(notes.map(({ why }) => why)).toEqual(["keys that exist in another account were left there"]);
});

test("an account whose keys were all rotated here still belongs to its source", async () => {
  const source = mkdtempSync(join(folder, "rotated-"));
  const write = (spend: number, ...names: readonly string[]): void => {
    const tokens = names.map((name) => `${sha256Of(`sk-csv-0123456789abcdef-${name}`)},${name},rotated\n`);
    writeFileSync(join(source, "LiteLLM_VerificationToken.csv"), `token,key_alias,team_id\n${tokens.join("")}`);
    writeFileSync(join(source, "LiteLLM_TeamTable.csv"), `team_id,max_budget,spend\nrotated,10,${spend}\n`);
  };
  write(0, "was-rotated");
  await importFrom(source, "--apply");
  const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?account=team-rotated");
  await gateway.platform("POST", `/api/keys/${data[0]!.id}/rotate`, {});
  write(4, "was-rotated", "is-new");
  const { applied } = await importFrom(source, "--apply");
  expect(applied).toEqual({ accounts: { created: 0, updated: 0, unchanged: 1 }, keys: { kept: 1, created: 1 }, credit: "-4.00" });
});

test("a later run finds earlier credit by its reference, and reads no other entries", async () => {
  const csv = mkdtempSync(join(folder, "csv-"));
  writeFileSync(join(csv, "LiteLLM_VerificationToken.csv"), `token,team_id\n${sha256Of("sk-csv-0123456789abcdef-ledger")},ledger\n`);
  writeFileSync(join(csv, "LiteLLM_TeamTable.csv"), "team_id,max_budget,spend\nledger,10,0\n");
  await importFrom(csv, "--apply");
  const paths: string[] = [];
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      paths.push(pathname + search);
      const headers = { authorization: request.headers.get("authorization")!, "content-type": "application/json" };
      return fetch(gateway.platformUrl + pathname + search, { method: request.method, headers, body: request.body });
    },
  });
  const env = { TOLLGATE_PLATFORM_URL: proxy.url.origin, TOLLGATE_OPERATOR_TOKEN: gateway.operatorToken };
  const { applied } = resultOf(await runTollgate(gateway, ["import", "keys", "--from", csv, "--apply", "--json"], { env }));
  await proxy.stop(true);
  expect(applied).toMatchObject({ credit: "0.00" });
  expect(paths.filter((path) => path.includes("/entries"))).toEqual(
    [1, 2].map((number) => `/api/accounts/team-ledger/entries?reference=import%3Alitellm%3A${number}`),
  );
});

test("a source that does not exist, or has no keys, is named, and never its password", async () => {
  const empty = mkdtempSync(join(folder, "empty-"));
  const text = join(folder, "text.db");
  writeFileSync(text, "not a database, and longer than the header of one would have to be ".repeat(3));
  for (const [source, why] of [
    [join(folder, "nowhere.db"), "does not exist"],
    [empty, "the folder has neither LiteLLM_VerificationToken.csv nor tokens.csv"],
    [text, "the table tokens cannot be read from"],
    ["postgres://ada:canary%zz@127.0.0.1:1/litellm", "the URL of the database is not valid"],
    ["mysql://ada:canary@127.0.0.1:99999/one-api", "the URL of the database is not valid"],
    // SQL_DSN of one-api, and a line of an environment file.
    ["ada:canary@tcp(127.0.0.1:3306)/one-api", "the source does not exist"],
    ['DATABASE_URL="postgres://ada:canary@127.0.0.1/litellm"', "the source does not exist"],
  ] as const) {
    const [failed] = await Promise.allSettled([importPiped(source)]);
    const reason = String((failed as PromiseRejectedResult).reason);
    expect(reason).toContain(why);
    expect(reason).not.toMatch(/canary|source-tables/);
  }
});
