import { expect, test } from "bun:test";
import { SALT_KEY, STORED } from "../../../../test/import-keys/stored-models.ts";
import { parseConfigFile } from "../../../config/config-file.ts";
import { convertStoredModels } from "./convert-stored-models.ts";
import { LiteLLMDecryption } from "./decrypt-litellm.ts";
import { ImportReport, type ImportPlan } from "./import-plan.ts";
import type { Row } from "./row-values.ts";

type Tables = Readonly<Record<string, readonly Row[]>>;

const accountOf = (team: string): string | undefined => (team === "red" ? "team-red" : undefined);

async function convert(tables: Tables, saltKey = SALT_KEY): Promise<{ config: ImportPlan["config"]; report: ImportReport }> {
  const source = { read: async (table: string) => tables[table] ?? [], close: async () => undefined };
  const report = new ImportReport();
  return { config: await convertStoredModels(source, new LiteLLMDecryption(saltKey), accountOf, report), report };
}

function modelWith(params: object, more: object = {}): Tables {
  return { LiteLLM_ProxyModelTable: [{ model_name: "m", litellm_params: params, model_info: {}, ...more }] };
}

function modelOfTeam(team: string, publicName: string): Row {
  return {
    model_name: `model_name_${team}`,
    litellm_params: { model: "openai/gpt-4o" },
    model_info: { team_id: team, team_public_model_name: publicName },
  };
}

test("models, named credentials and settings of each format are a config file, with the secrets beside it", async () => {
  const { config, report } = await convert(STORED);
  expect(config!.environment).toBe(
    "DB_OPENAI_API_KEY=sk-db-gpt-secret\nDB_ANTHROPIC_API_KEY=sk-ant-shared-secret\nOLD_KEY=sk-old-secret\n",
  );
  expect(config!.yaml).not.toMatch(/secret$|LiteLLM_ProxyModelTable:/m);
  const variables = Object.fromEntries(
    config!.environment
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
  const { upstreams, catalog } = parseConfigFile(config!.yaml, "tollgate.yaml", { OPENAI_API_KEY: "k", ...variables }, 0);
  expect(upstreams).toMatchObject([
    { id: "db-openai", baseUrl: "https://api.openai.com/v1" },
    { id: "db-anthropic", baseUrl: "https://api.anthropic.com/v1" },
    { id: "db-llm.example.com", baseUrl: "https://llm.example.com/v1" },
    { id: "db-openai-2", baseUrl: "https://api.openai.com/v1" },
  ]);
  expect(["db-gpt", "db-claude", "db-old"].map((id) => catalog.get(id)!.routes[0]!.upstreamModel)).toEqual([
    "gpt-4o-mini",
    "claude-sonnet-4-5",
    "our-model",
  ]);
  expect(catalog.get("db-old")!.prices.at(-1)!.rates).toMatchObject({ inputPicos: 1_000_000n, outputPicos: 2_000_000n });
  expect(catalog.get("vectors")).toMatchObject({ kind: "embedding", routes: [{ upstreamModel: "text-embedding-3-small" }] });
  expect(config!.yaml).toContain("endpoints: [ embeddings ]\n");
  expect(config!.yaml).toContain("model: db-claude, on:");
  expect(catalog.get("of-a-team")!.accounts).toEqual(new Set(["team-red"]));
  expect(report.notes.map(({ why, subjects }) => [why.slice(0, 40), ...subjects])).toEqual([
    ["LiteLLM does not enforce it with this ro", "litellm_params.rpm of model db-gpt"],
    ["restricted to the account of the team, w", "model_info.team_id of model of-a-team"],
    ["variables that are not in LiteLLM's data", "OPENAI_API_KEY"],
  ]);
});

test("another salt key is refused, whatever the format, and a changed value too", async () => {
  const [gpt, claude, old] = STORED["LiteLLM_ProxyModelTable"]! as [Row, Row, Row];
  for (const row of [gpt, claude, old]) {
    const [failed] = await Promise.allSettled([convert({ ...STORED, LiteLLM_ProxyModelTable: [row] }, "sk-another")]);
    expect(String((failed as PromiseRejectedResult).reason)).toContain(`of model ${String(row["model_name"])} cannot be decrypted`);
  }
  for (const [row, from, to] of [
    [gpt, "ssJk", "ssJl"],
    [claude, "yrbF", "yrbG"],
  ] as const) {
    const { model } = row["litellm_params"] as { model: string };
    const changed = { ...row, litellm_params: { model: model.replace(from, to) } };
    const [failed] = await Promise.allSettled([convert({ LiteLLM_ProxyModelTable: [changed] })]);
    expect(String((failed as PromiseRejectedResult).reason)).toContain(`model of model ${String(row["model_name"])} cannot be decrypted`);
  }
});

test("a row that is not encrypted is read as it is, also a long key that could be a ciphertext", async () => {
  const long = `sk-proj-${"a".repeat(156)}`;
  const { config } = await convert(modelWith({ model: "openai/gpt-4o", api_key: long }));
  expect(config!.environment).toBe(`DB_OPENAI_API_KEY=${long}\n`);
});

test("a model of a team has its public name, and one of an unknown team is named", async () => {
  const { config, report } = await convert({
    LiteLLM_ProxyModelTable: [modelOfTeam("red", "chat"), modelOfTeam("green", "green-chat")],
  });
  const { catalog } = parseConfigFile(config!.yaml, "tollgate.yaml", { DB_OPENAI_API_KEY: "k", OPENAI_API_KEY: "k" }, 0);
  expect([...catalog].map(([id, { accounts }]) => [id, accounts])).toEqual([["chat", new Set(["team-red"])]]);
  expect(report.notes).toContainEqual({ why: 'its team "green" is not in the database', count: 1, subjects: ["model green-chat"] });
});

test("timeouts of a model and of the settings become timeouts of the upstreams", async () => {
  const { config } = await convert({
    LiteLLM_ProxyModelTable: [
      { model_name: "own", litellm_params: { model: "openai/gpt-4o", timeout: 20, stream_timeout: 5 }, model_info: {} },
      { model_name: "default", litellm_params: { model: "openai/gpt-4o" }, model_info: {} },
    ],
    LiteLLM_Config: [{ param_name: "router_settings", param_value: { timeout: 30 } }],
  });
  const { upstreams } = parseConfigFile(config!.yaml, "tollgate.yaml", { OPENAI_API_KEY: "k" }, 0);
  expect(upstreams).toMatchObject([
    { timeouts: { firstByteMs: 5000, betweenChunksMs: 5000, nonStreamedMs: 20_000 } },
    { timeouts: { firstByteMs: 30_000, betweenChunksMs: 30_000, nonStreamedMs: 30_000 } },
  ]);
});

test("a secret of several lines becomes one line, or is named", async () => {
  const key = '{\n  "type": "service_account",\n  "private_key": "a\\nb"\n}';
  const vertex = { model: "vertex_ai/gemini-2.5-pro", vertex_project: "our-project", vertex_location: "global", vertex_credentials: key };
  const { config } = await convert(modelWith(vertex));
  expect(config!.environment).toMatch(/^DB_\w+={"type":"service_account","private_key":"a\\nb"}\n$/);
  const other = await convert(modelWith({ model: "openai/gpt-4o", api_key: "one\ntwo" }));
  expect(other.config!.environment).toBe("");
  expect(other.report.notes).toMatchObject([{ why: expect.stringContaining("several lines"), subjects: ["DB_OPENAI_API_KEY"] }]);
});

test("a variable that is not in the database, and a blocked model, are named", async () => {
  const { config, report } = await convert(modelWith({ model: "openai/gpt-4o" }));
  expect(config!.environment).toBe("");
  expect(report.notes).toMatchObject([{ why: expect.stringContaining("set them in the environment"), subjects: ["OPENAI_API_KEY"] }]);
  const blocked = await convert(modelWith({ model: "openai/gpt-4o" }, { blocked: true }));
  expect(blocked.config).toBeUndefined();
  expect(blocked.report.notes).toMatchObject([{ why: expect.stringContaining("blocked in LiteLLM"), subjects: ["model m"] }]);
});
