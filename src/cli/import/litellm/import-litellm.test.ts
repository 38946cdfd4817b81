import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { sampleVariables } from "../../../../test/litellm/sample-variables.ts";
import { parseConfigFile } from "../../../config/config-file.ts";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import { importLiteLLM, type ImportedConfig } from "./import-litellm.ts";

const ROOT = join(import.meta.dir, "../../../..");
const FIXTURES = join(ROOT, "test/litellm/fixtures");

function importFixture(name: string): ImportedConfig {
  return importLiteLLM(readFileSync(join(FIXTURES, `${name}.yaml`), "utf8"), "config.yaml");
}

/** Parses a converted file with only the variables that it names. */
function start({ config }: ImportedConfig): ReturnType<typeof parseConfigFile> {
  const named = /^# It reads from the environment: (.*)\.$/m.exec(config)?.[1]?.split(", ") ?? [];
  const env = named.map((name) => [name, name.endsWith("_URL") || name.endsWith("_BASE") ? "https://llm.example/v1" : "value"]);
  const ofIdentities = sampleVariables(
    declared({ config }).upstreams.filter(({ credential }) => credential === undefined),
    "https://llm.example/v1",
  );
  return parseConfigFile(config, "tollgate.yaml", { ...(Object.fromEntries(env) as Record<string, string>), ...ofIdentities }, 0);
}

function declared({ config }: Pick<ImportedConfig, "config">): { upstreams: DeclaredUpstream[]; models: DeclaredModel[] } {
  return parse(config) as { upstreams: DeclaredUpstream[]; models: DeclaredModel[] };
}

function whyNot({ unsupported }: ImportedConfig, field: string): string[] {
  return unsupported.filter((each) => each.field === field).map(({ why }) => why);
}

function importDeployments(...params: readonly string[]): ImportedConfig {
  return importLiteLLM(`model_list:\n${params.map((each) => `  - { model_name: m, litellm_params: ${each} }\n`).join("")}`, "config.yaml");
}

describe("the converted file", () => {
  for (const name of ["small", "large", "anchors", "secrets"]) {
    test(`of ${name}.yaml is accepted by the config parser`, () => {
      const imported = importFixture(name);
      const { upstreams, catalog } = start(imported);
      expect([upstreams.length, catalog.size]).toEqual([imported.upstreams, imported.models]);
      expect(imported.models).toBeGreaterThan(0);
    });

    test(`of ${name}.yaml lists the unsupported settings at its end`, () => {
      const { config, unsupported } = importFixture(name);
      const lines = unsupported.map(({ place, field, why }) => `# ${place.slice("config.yaml:".length)} ${field}: ${why}\n`);
      expect(config).toEndWith(
        `# Settings of config.yaml that were not converted, or were converted with changes, by line and column:\n${lines.join("")}`,
      );
    });
  }

  test("of the documented example is the documented one", () => {
    const text = readFileSync(join(ROOT, "docs/migrating-from-litellm.md"), "utf8");
    const [before, after] = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);
    expect(importLiteLLM(before!, "config.yaml").config).toBe(after!);
  });

  test("names servers at private addresses local", () => {
    const bases = ["http://127.0.0.1:8000/v1", "http://localhost:9000/v1", "http://10.0.0.7/v1", "http://gpu.internal/v1"];
    const { upstreams } = declared(importDeployments(...bases.map((base) => `{ model: openai/x, api_base: "${base}" }`)));
    expect(upstreams.map(({ id, base_url }) => [id, base_url])).toEqual([
      ["local", bases[0]],
      ["local-2", bases[1]],
      ["local-3", bases[2]],
      ["gpu.internal", bases[3]],
    ]);
  });

  test("of an empty model list has no models", () => {
    expect(importFixture("nothing")).toMatchObject({ models: 0, upstreams: 0 });
    expect(importLiteLLM("model_list:\n", "config.yaml").models).toBe(0);
    expect(importLiteLLM("model_list: {}\n", "config.yaml").unsupported).toMatchObject([{ field: "model_list", place: "config.yaml:1:1" }]);
  });
});

describe("a model with a private and a public deployment", () => {
  const PRIVATE = "{ model: openai/x, api_base: http://10.0.0.1/v1 }";
  const PUBLISHED = "{ model: openai/gpt-4o, api_key: os.environ/K }";
  const UNKNOWN = "{ model: openai/x, api_base: https://llm.example/v1, api_key: os.environ/K }";

  for (const [name, other] of [
    ["published", PUBLISHED],
    ["unknown", UNKNOWN],
  ] as const) {
    test(`is not free, in either order, where the price is ${name}`, () => {
      for (const params of [
        [PRIVATE, other],
        [other, PRIVATE],
      ]) {
        const [model] = declared(importDeployments(...params)).models;
        expect([model!.free, model!.routes.length]).toEqual([undefined, 2]);
      }
      expect(declared(importDeployments(PRIVATE, PRIVATE.replace("10.0.0.1", "10.0.0.2"))).models[0]).toMatchObject({ free: true });
    });
  }
});

describe("a large file", () => {
  const imported = importFixture("large");
  const { upstreams, models } = declared(imported);

  test("loses no deployment silently: each of the thirty is converted, or listed once", () => {
    const named = imported.unsupported.flatMap(({ field }) => /^model_list\[(\d+)\]$/.exec(field)?.[1] ?? []).map(Number);
    expect(named).toEqual([10, 19, 24, 28, 29]);
    const aliases = new Set(["gpt-4", "deal", "smart"]);
    const routes = models.filter(({ id }) => !aliases.has(id)).flatMap((model) => model.routes);
    expect(routes).toHaveLength(30 - named.length);
  });

  test("has one upstream for the same base URL, credential and timeouts", () => {
    const at = upstreams.filter(({ base_url }) => base_url === "https://api.openai.com/v1");
    expect(at).toEqual([
      {
        id: "openai",
        dialect: "openai",
        base_url: "https://api.openai.com/v1",
        credential: "${OPENAI_API_KEY}",
        timeouts: { first_byte_ms: 600_000, between_chunks_ms: 600_000, non_streamed_ms: 600_000 },
      },
      {
        id: "openai-2",
        dialect: "openai",
        base_url: "https://api.openai.com/v1",
        credential: "${OPENAI_API_KEY}",
        timeouts: { first_byte_ms: 240_000, between_chunks_ms: 240_000, non_streamed_ms: 1_200_000, total_ms: 1_200_000 },
      },
    ]);
    expect(new Set(upstreams.map(({ id }) => id)).size).toBe(upstreams.length);
  });

  test("lists each setting with its position and the alternative", () => {
    const settings = imported.unsupported.filter(({ field }) => !field.startsWith("model_list"));
    expect(settings.map(({ field }) => field)).toContain("general_settings.database_url");
    for (const { place, field, why } of settings) {
      expect(place).toMatch(/^config\.yaml:\d+:\d+$/);
      expect([field, why]).not.toEqual([field, "no equivalent in Tollgate"]);
    }
    expect(whyNot(imported, "general_settings.master_key")[0]).toContain("TOLLGATE_OPERATOR_TOKEN");
    expect(whyNot(imported, "general_settings.database_url")[0]).toContain("TOLLGATE_DATA");
  });

  test("names the setting that replaces one of LiteLLM's", () => {
    const router = "{ allowed_fails: 3, cooldown_time: 30, fallbacks: [] }";
    const library = "{ cache_params: { ttl: 60 }, default_fallbacks: [], max_tokens: 9 }";
    const list = "[{ model_name: m, litellm_params: { model: groq/x, max_tokens: 9, cooldown_time: 5 } }]";
    const all = importLiteLLM(`model_list: ${list}\nrouter_settings: ${router}\nlitellm_settings: ${library}\n`, "config.yaml");
    const replaced: Record<string, string> = {
      "router_settings.allowed_fails": "the circuit breaker replaces it",
      "router_settings.cooldown_time": "the circuit breaker and credential cooldowns replace it",
      "router_settings.fallbacks": "it names no fallbacks",
      "litellm_settings.default_fallbacks": "it names no fallbacks",
      "litellm_settings.cache_params": "models[].cache replaces it: cache: { ttl_seconds: 60 }",
      "litellm_settings.max_tokens": "models[].max_output_tokens replaces it",
      "model_list[0].litellm_params.cooldown_time": "the circuit breaker and credential cooldowns replace it",
    };
    for (const [field, why] of Object.entries(replaced))
      expect([field, ...whyNot(all, field)]).toEqual([field, expect.stringContaining(why) as string]);
  });

  test("has a model for each alias", () => {
    expect(models.find(({ id }) => id === "gpt-4")?.routes).toEqual(models.find(({ id }) => id === "gpt-4o")!.routes);
    expect(imported.config).not.toMatch(/[&*]a\d/);
    expect(whyNot(imported, "router_settings.model_group_alias.gone")).toEqual(["its model was not converted"]);
  });

  test("reports the exact position", () => {
    const lines = readFileSync(join(FIXTURES, "large.yaml"), "utf8").split("\n");
    for (const { place, field } of imported.unsupported) {
      const [, line, column] = /:(\d+):(\d+)$/.exec(place)!;
      const found = lines[Number(line) - 1]!.slice(Number(column) - 1);
      expect(found).toStartWith(
        field.endsWith("]") ? (field === "model_list[29]" ? "litellm_params" : "model_name") : field.split(".").at(-1)!,
      );
    }
  });
});

describe("plaintext secrets", () => {
  const imported = importFixture("secrets");
  const source = readFileSync(join(FIXTURES, "secrets.yaml"), "utf8");

  test("are not in the output", () => {
    const canaries = [...source.matchAll(/[\w-]*canary[\w-]*-0{9}\d{3}|123456789012345678901/g)].map(([canary]) => canary);
    expect(new Set(canaries).size).toBe(17);
    for (const canary of canaries) expect(JSON.stringify(imported)).not.toContain(canary);
  });

  test("become variables with unused names, one per secret", () => {
    const { upstreams, models } = declared(imported);
    const credentialOf = (id: string): string | undefined =>
      upstreams.find((upstream) => upstream.id === models.find((model) => model.id === id)!.routes[0]!.upstream)!.credential;
    expect(credentialOf("from-environment")).toBe("${OPENAI_API_KEY}");
    expect(credentialOf("main")).toBe("${OPENAI_API_KEY_2}");
    expect(credentialOf("main-mini")).toBe("${OPENAI_API_KEY_2}");
    expect(credentialOf("other-team")).toBe("${OPENAI_2_API_KEY}");
    expect(credentialOf("own-server")).toBe("${LLM_CANARY_EXAMPLE_API_KEY}");
    expect(credentialOf("no-secret")).toBeUndefined();
    expect(whyNot(imported, "model_list[0].litellm_params.api_key")).toEqual([
      "a plaintext secret is not written to tollgate.yaml: set OPENAI_API_KEY_2 to it",
    ]);
  });

  test("are not in the error about invalid YAML", () => {
    const broken = [
      'api_key: "sk-canary',
      "api_key: 'x' sk-canary",
      "a: b\n sk-canary: c",
      'a: "\\sk-canary"',
      "- a\nsk-canary",
      "a: |sk-canary\n b",
    ];
    for (const text of broken) {
      expect(() => importLiteLLM(text, "config.yaml")).toThrow(/^config\.yaml:\d:\d+: (not YAML|not a LiteLLM config)/);
      expect(() => importLiteLLM(text, "config.yaml")).not.toThrow(/canary/);
    }
  });
});

describe("YAML", () => {
  test("resolves anchors and merge keys", () => {
    const imported = importFixture("anchors");
    const { upstreams } = declared(imported);
    expect(upstreams.map(({ credential, timeouts }) => [credential, timeouts?.between_chunks_ms])).toEqual([
      ["${GROQ_API_KEY}", 30_000],
      ["${GROQ_API_KEY}", 300_000],
    ]);
    expect(whyNot(imported, "model_list[3]")).toEqual(["it duplicates model_list[2], which is converted"]);
  });

  test("resolves an alias to the last anchor of its name before it", () => {
    const text =
      "a: &p {model: groq/first}\nb: &p {model: groq/second}\nmodel_list:\n  - {model_name: m, litellm_params: *p}\nc: &p {model: groq/third}\n";
    expect(declared(importLiteLLM(text, "c.yaml")).models[0]!.routes[0]!.model).toBe("second");
  });

  test("rejects an alias without an anchor", () => {
    expect(() => importLiteLLM("model_list: *gone\n", "c.yaml")).toThrow("c.yaml:1:13: this alias has no anchor before it");
  });

  test("is not exhausted by exponentially nested aliases", () => {
    const levels = Array.from({ length: 40 }, (_, at) => `l${at + 1}: &l${at + 1} {<<: [*l${at}, *l${at}], a${at}: [*l${at}, *l${at}]}`);
    const bomb = `l0: &l0 {x: 1}\n${levels.join("\n")}\nself: &self {<<: *self, a: *self}\n`;
    const { models, unsupported } = importLiteLLM(
      `${bomb}model_list:\n  - {model_name: a, litellm_params: {<<: *l40, model: groq/x}}\n  - *self\n`,
      "c.yaml",
    );
    expect(models).toBe(1);
    expect(unsupported.length).toBeLessThan(60);
  });

  test("a name can neither end a comment nor control a terminal", () => {
    const name = String.raw`"a\nmodels: []\r\u2028\x1b[31m\x9b\u202e"`;
    const text = `${name}: 1\nmodel_list:\n  - {model_name: ${name}, litellm_params: {model: groq/x}}\n  - {model_name: b, litellm_params: {model: groq/y, ${name}: 2}}\n`;
    const imported = importLiteLLM(text, "c\n.yaml");
    expect(start(imported).catalog.size).toBe(1);
    // oxlint-disable-next-line no-control-regex
    expect(JSON.stringify(imported).replaceAll("\\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]|\\[ru]/);
  });
});

test("a model from a variable is the one that LiteLLM would call in this environment", () => {
  const text = "model_list: [{ model_name: chat, litellm_params: { model: os.environ/CHAT_MODEL } }]";
  const { config } = importLiteLLM(text, "config.yaml", { CHAT_MODEL: "groq/llama-3.3-70b-versatile" });
  expect(config).toContain("base_url: https://api.groq.com/openai/v1");
  expect(config).toContain("{ upstream: groq, model: llama-3.3-70b-versatile }");
  const { models, unsupported } = importLiteLLM(text, "config.yaml");
  expect([models, unsupported[0]?.why]).toEqual([0, expect.stringContaining("set CHAT_MODEL for the import")]);
});
