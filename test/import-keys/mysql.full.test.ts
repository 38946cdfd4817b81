import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import type { Account, KeyPage } from "../../platform-client/types.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { runTollgate, type Outcome } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasMariaDb } from "../support/mariadb/find-mariadb.ts";
import { startMariaDb, type MariaDbServer } from "../support/mariadb/start-mariadb.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";

/** The columns that an import reads, with the types that one-api gives them in MySQL. */
const TABLES = [
  "create table users (id bigint primary key, username varchar(191), display_name longtext, quota bigint default 0, status bigint, `group` varchar(32))",
  `create table tokens (id bigint primary key, user_id bigint, \`key\` char(48), status bigint, name varchar(191), created_time bigint, expired_time bigint,
    remain_quota bigint, unlimited_quota tinyint(1), models text, subnet varchar(191))`,
  `create table channels (id bigint primary key, type bigint, \`key\` text, status bigint, name varchar(191), weight bigint unsigned, base_url varchar(191),
    models longtext, model_mapping varchar(1024), priority bigint)`,
  "create table options (`key` varchar(191) primary key, value longtext)",
  "insert into users values (1, 'root', 'Ünï', 9007199254740995, 1, 'default'), (2, 'bob', '', 500000, 2, 'default')",
  `insert into tokens values (1, 1, '${"a".repeat(48)}', 1, 'any', 1750000000, -1, 0, 1, null, ''),
    (2, 1, '${"b".repeat(48)}', 1, 'narrow', 1750000000, 4102444800, 250000, 0, 'good', ''), (3, 2, '${"c".repeat(48)}', 1, 'off', 1750000000, -1, 0, 1, null, null)`,
  `insert into channels values (1, 1, 'sk-upstream', 1, 'OpenAI', 5, '', 'gpt-4o', '', 10)`,
  `insert into options values ('ModelRatio', '{"gpt-4o": 1.25}'), ('CompletionRatio', '{"gpt-4o": 4}')`,
];

describe.skipIf(!hasMariaDb)("one-api's MySQL database", () => {
  const upstream = startMockUpstream({ "up-good": () => Response.json(completion()), "up-other": () => Response.json(completion()) });
  let folder: string;
  let server: MariaDbServer;
  let gateway: RunningGateway;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-import-mysql-"));
    server = await startMariaDb();
    const sql = new SQL(server.url, { max: 1 });
    for (const statement of TABLES) await sql.unsafe(statement);
    await sql.close();
    gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good", "other"]) });
  });
  afterAll(async () => {
    await gateway?.stop();
    await server?.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  });

  function importKeys(url: string, ...more: readonly string[]): Promise<Outcome> {
    return runTollgate(gateway, ["import", "keys", "--from", "-", "--json", ...more], { stdin: url });
  }

  async function call(letter: string, model = "good"): Promise<string> {
    const { status, code } = await postChat(gateway, `sk-${letter.repeat(48)}`, chatBody(model));
    return `${status} ${code ?? ""}`.trim();
  }

  test("keys, users, credit and channels come along, and a second run changes nothing", async () => {
    const out = join(folder, "tollgate.yaml");
    const first = await importKeys(server.url, "--apply", "--out", out);
    expect(first.stderr).toBe("");
    expect(JSON.parse(first.stdout)).toMatchObject({ from: "one-api", accounts: 2, keys: 3, applied: { keys: { created: 3 } } });
    expect(await Promise.all([call("a"), call("b"), call("c"), call("d"), call("b", "other")])).toEqual([
      "200",
      "200",
      "401 api_key_paused",
      "401 invalid_api_key",
      "403 model_not_allowed",
    ]);
    const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?search=narrow");
    expect(data).toMatchObject([{ caps: { total: "0.50" }, imported: { from: "one-api" }, expires_at: "2100-01-01T00:00:00.000Z" }]);
    expect(await gateway.platform<Account>("GET", "/api/accounts/user-1")).toMatchObject({ name: "Ünï" });
    expect(readFileSync(out, "utf8")).toContain("input_per_million: 2.5\n      output_per_million: 10");
    expect(readFileSync(`${out}.env`, "utf8")).toBe("CHANNEL_1_KEY=sk-upstream\n");

    const again = await importKeys(server.url, "--apply");
    expect(JSON.parse(again.stdout)).toMatchObject({ applied: { accounts: { unchanged: 2 }, keys: { unchanged: 3 }, credit: "0.00" } });
  });

  test("a wrong password is an error that does not have it", async () => {
    const { code, stderr } = await importKeys(server.url.replace("p%40ss", "canary"));
    expect([code, stderr]).toEqual([1, expect.stringContaining("the table tokens cannot be read from the database")]);
    expect(stderr).not.toContain("canary");
  });
});
