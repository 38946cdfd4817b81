import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { chatBody, postChat } from "../money/post-chat.ts";
import { reloadWith } from "../support/gateway/reload-gateway.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { CsvSource, keyRow, plaintextOf, type CsvRow, type ImportResult } from "./csv-source.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-models-of-teams-"));
const upstream = startMockUpstream({ up: () => Response.json(completion()), "up-good": () => Response.json(completion()) });
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good"]) });
const saltKey = join(folder, "salt-key.txt");
writeFileSync(saltKey, "sk-salt\n");

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true });
});

/** A model in the database, in the form in which LiteLLM stores it for a team. */
function modelOf(team: string, publicName: string): CsvRow {
  const params = { model: "openai/up", api_base: upstream.baseUrl, api_key: "none" };
  const info = { mode: "chat", team_id: team, team_public_model_name: publicName };
  return {
    model_id: `${team} ${publicName}`,
    model_name: `model_name_${team}_${publicName}`,
    litellm_params: JSON.stringify(params),
    model_info: JSON.stringify(info),
  };
}

let files = 0;
/** The models of the gateway after the first import. */
let loaded: readonly object[] = [];

async function importModels(source: CsvSource, ...more: readonly string[]): Promise<ImportResult & { yaml: string }> {
  const out = join(folder, `converted-${++files}.yaml`);
  const result = await source.importInto(gateway, "--salt-key-file", saltKey, "--out", out, ...more);
  return { ...result, yaml: readFileSync(out, "utf8") };
}

function accountsIn(yaml: string): Record<string, unknown> {
  const { models } = parse(yaml) as { models: { id: string; accounts?: string[] }[] };
  return Object.fromEntries(models.map(({ id, accounts }) => [id, accounts]));
}

async function call(name: string, model: string): Promise<string> {
  const { status, code } = await postChat(gateway, plaintextOf(name), chatBody(model));
  return `${status} ${code ?? ""}`.trim();
}

test("models of teams can be called with the imported keys of their team, by their public names", async () => {
  const source = new CsvSource(folder);
  source.write("LiteLLM_VerificationToken", [keyRow("red", { team_id: "red" }), keyRow("blue", { team_id: "blue" })]);
  source.write("LiteLLM_TeamTable", [{ team_id: "red" }, { team_id: "blue" }, { team_id: "without-keys" }]);
  source.write("LiteLLM_ProxyModelTable", [
    modelOf("red", "team-chat"),
    modelOf("red", "team-chat"),
    modelOf("blue", "blue-chat"),
    modelOf("blue", "team-chat"),
    modelOf("without-keys", "later-chat"),
    modelOf("gone", "gone-chat"),
  ]);
  const dry = await importModels(source);
  const expected = { "team-chat": ["team-red"], "blue-chat": ["team-blue"], "later-chat": ["team-without-keys"] };
  expect(accountsIn(dry.yaml)).toEqual(expected);
  const [early] = await Promise.allSettled([reloadWith(gateway, dry.yaml)]);
  expect(String((early as PromiseRejectedResult).reason)).toContain('accounts[0] names \\"team-red\\", and there is no such account');

  const { applied, notes, yaml } = await importModels(source, "--apply");
  expect(applied?.accounts).toMatchObject({ created: 3 });
  const reported = notes.flatMap(({ why, subjects }) => subjects.map((subject) => `${subject}: ${why}`)).join("\n");
  expect(reported).toContain("model team-chat: a model of another team has the same name");
  expect(reported).toContain('model gone-chat: its team "gone" is not in the database');
  await reloadWith(gateway, yaml);
  loaded = (parse(yaml) as { models: object[] }).models;
  const calls = ["red", "blue"].flatMap((key) => ["team-chat", "blue-chat"].map((model) => call(key, model)));
  expect(await Promise.all(calls)).toEqual(["200", "403 model_not_allowed", "403 model_not_allowed", "200"]);
});

test("the config file has the accounts of its source, and no model of an account that is not the import's", async () => {
  const source = new CsvSource(folder);
  source.write("LiteLLM_VerificationToken", [keyRow("second-red", { team_id: "red" }), keyRow("second-own", { team_id: "own" })]);
  source.write("LiteLLM_TeamTable", [{ team_id: "red" }, { team_id: "own" }]);
  source.write("LiteLLM_ProxyModelTable", [modelOf("red", "second-chat"), modelOf("own", "own-chat")]);
  source.write("LiteLLM_Config", [
    { param_name: "router_settings", param_value: JSON.stringify({ fallbacks: [{ "second-chat": ["own-chat"] }] }) },
  ]);
  await gateway.platform("POST", "/api/accounts", { id: "team-own-2", name: "Ours" });
  await gateway.platform("POST", "/api/keys", { name: "ours", models: ["*"], account: "team-own-2" });
  const { notes, yaml } = await importModels(source, "--apply");
  expect(accountsIn(yaml)).toEqual({ "second-chat": ["team-red-2"] });
  expect(notes.find(({ why }) => why.startsWith("models of accounts that were left"))?.subjects).toEqual(["model own-chat"]);
  const file = parse(yaml) as { models: object[] };
  await reloadWith(gateway, JSON.stringify({ ...file, models: [...loaded, ...file.models] }));
  expect(await call("second-red", "second-chat")).toBe("200");
});

test("a team of another source, with the ID of one that has models and no keys, gets an account of its own", async () => {
  const source = new CsvSource(folder);
  source.write("LiteLLM_VerificationToken", [keyRow("third", { team_id: "without-keys" })]);
  source.write("LiteLLM_TeamTable", [{ team_id: "without-keys" }]);
  source.write("LiteLLM_ProxyModelTable", [modelOf("without-keys", "third-chat")]);
  const { yaml } = await importModels(source, "--apply");
  expect(accountsIn(yaml)).toEqual({ "third-chat": ["team-without-keys-2"] });
  expect(accountsIn((await importModels(source, "--apply")).yaml)).toEqual({ "third-chat": ["team-without-keys-2"] });
  expect(await call("third", "later-chat")).toBe("403 model_not_allowed");
});
