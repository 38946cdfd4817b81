import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../src/config/config-error.ts";
import { loadConfig, type Config } from "../../src/config.ts";
import { makeApiKey } from "../../src/access/api-key.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-config-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const GOOD = `upstreams:
  - id: openai
    dialect: openai
    base_url: https://api.openai.com/v1
    credential: \${OPENAI_API_KEY}
models:
  - id: fast-chat
    owned_by: acme
    routes:
      - { upstream: openai, model: gpt-4o-mini }
    price: { input_per_million: 0.15, output_per_million: 0.60, cached_input_per_million: 0.075 }
    context_window: 128000
    max_output_tokens: 16384
`;

function load(yaml: string, env: Record<string, string> = { OPENAI_API_KEY: "sk-test" }): Promise<Config> {
  writeFileSync(join(folder, "tollgate.yaml"), yaml);
  return loadConfig({ TOLLGATE_CONFIG: join(folder, "tollgate.yaml"), ...env });
}

async function loadWithoutFile(env: Record<string, string>, prepare: () => void = () => undefined): Promise<Config> {
  const here = process.cwd();
  process.chdir(mkdtempSync(join(folder, "empty-")));
  try {
    prepare();
    return await loadConfig(env);
  } finally {
    process.chdir(here);
  }
}

async function problemOf(loading: Promise<Config>): Promise<string> {
  const error = await loading.then(
    () => new Error("it was accepted"),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return error.message.replace(`${folder}/`, "");
}

describe("a config file", () => {
  test("of the documentation is valid", async () => {
    const config = await load(GOOD);
    expect(config.declared.upstreams).toMatchObject([
      { id: "openai", dialect: "openai", baseUrl: "https://api.openai.com/v1", timeouts: { connectMs: 3000 } },
    ]);
    expect(config.declared.upstreams[0]!.dialect === "openai" && config.declared.upstreams[0]!.credentials[0]?.reveal()).toBe("sk-test");
    expect(config.declared.catalog.get("fast-chat")).toMatchObject({
      ownedBy: "acme",
      routes: [{ upstream: "openai", upstreamModel: "gpt-4o-mini" }],
      prices: [{ rates: { inputPicos: 150_000n, outputPicos: 600_000n, cachedInputPicos: 75_000n, reasoningPicos: 600_000n } }],
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
    });
    expect(Object.isFrozen(config)).toBe(true);
    expect(JSON.stringify(config)).not.toContain("sk-test");
  });

  test("in JSON is valid", async () => {
    expect(
      (await load('{"upstreams":[{"id":"e","dialect":"echo"}],"models":[{"id":"m","routes":[{"upstream":"e","model":"x"}]}]}')).declared
        .catalog.size,
    ).toBe(1);
  });

  test("allows a private address with allow_private", async () => {
    const urls = [
      "http://127.0.0.1:11434/v1",
      "http://localhost:1234/v1",
      "https://10.0.0.8/v1",
      "http://[fd00::1]/v1",
      "http://ollama:11434/v1",
    ];
    for (const url of urls) {
      const config = await load(GOOD.replace("https://api.openai.com/v1", `"${url}"\n    allow_private: true`));
      expect(config.declared.upstreams).toMatchObject([{ baseUrl: url, allowPrivate: true }]);
    }
    expect((await load(GOOD)).declared.upstreams).toMatchObject([{ allowPrivate: false }]);
  });

  test("uses defaults for missing environment variables", async () => {
    const config = await load(GOOD.replace("${OPENAI_API_KEY}", "${NOT_SET:-fallback}"), {});
    expect(config.declared.upstreams[0]!.dialect === "openai" && config.declared.upstreams[0]!.credentials[0]?.reveal()).toBe("fallback");
  });

  const cases: [string, string, string][] = [
    ["an absent variable", GOOD.replace("OPENAI_API_KEY", "NOPE"), "tollgate.yaml:5:17: these environment variables are not set: NOPE"],
    ["bad YAML", GOOD.replace("models:", "models: ["), "tollgate.yaml:"],
    ["a key twice", GOOD.replace("owned_by: acme", "id: other"), "tollgate.yaml:8:5: Map keys must be unique"],
    [
      "an unknown field",
      GOOD.replace("owned_by:", "ownd_by:"),
      "tollgate.yaml:8:5: models[0].ownd_by is not a known field: the nearest is owned_by",
    ],
    [
      "a misspelled field",
      GOOD.replace("routes:", "route:"),
      "tollgate.yaml:9:5: models[0].route is not a known field: the nearest is routes",
    ],
    [
      "an address of the endpoint itself",
      GOOD.replace("com/v1", "com/v1/chat/completions"),
      "tollgate.yaml:4:5: upstreams[0].base_url must end before /chat/completions",
    ],
    ["a missing field", GOOD.replace("    dialect: openai\n", ""), "tollgate.yaml:2:5: upstreams[0].dialect is required"],
    ["a wrong type", GOOD.replace("128000", "many"), 'tollgate.yaml:12:5: models[0].context_window must be an integer, not "many"'],
    [
      "an unknown dialect",
      GOOD.replace("dialect: openai", "dialect: opanai"),
      'tollgate.yaml:3:5: upstreams[0].dialect must be one of openai, responses, anthropic, gemini, bedrock, echo, not "opanai"',
    ],
    [
      "an unknown upstream",
      GOOD.replace("upstream: openai", "upstream: other"),
      'tollgate.yaml:10:11: models[0].routes[0].upstream names "other", which is not one of the upstreams',
    ],
    [
      "an address that is none",
      GOOD.replace("https://api.openai.com/v1", "api.openai.com"),
      "tollgate.yaml:4:5: upstreams[0].base_url must be an http:// or https:// address",
    ],
    [
      "an address with a password",
      GOOD.replace("https://", "https://a:b@"),
      "tollgate.yaml:4:5: upstreams[0].base_url must be a bare address: no user, no query, no fragment",
    ],
    [
      "an address in clear text",
      GOOD.replace("https://", "http://"),
      "tollgate.yaml:4:5: upstreams[0].base_url must be https://; http:// is only allowed for this machine or a private network, with allow_private: true",
    ],
    [
      "a loopback address",
      GOOD.replace("api.openai.com", "2130706433"),
      "tollgate.yaml:4:5: upstreams[0].base_url cannot be used: 127.0.0.1 is a loopback address, which needs allow_private: true",
    ],
    [
      "a metadata service, even where private addresses are allowed",
      GOOD.replace("https://api.openai.com/v1", "http://169.254.169.254/v1\n    allow_private: true"),
      "tollgate.yaml:4:5: upstreams[0].base_url cannot be used: 169.254.169.254 is a link-local address, and is never called",
    ],
    [
      "a public address in clear text, even where private addresses are allowed",
      GOOD.replace("https://api.openai.com/v1", "http://8.8.8.8/v1\n    allow_private: true"),
      "tollgate.yaml:4:5: upstreams[0].base_url cannot be used: 8.8.8.8 is a public address, which needs https://",
    ],
    [
      "an allow_private that is a word",
      GOOD.replace("    credential", "    allow_private: yes\n    credential"),
      'tollgate.yaml:5:5: upstreams[0].allow_private must be a boolean, not "yes"',
    ],
    [
      "no address",
      GOOD.replace("    base_url: https://api.openai.com/v1\n", ""),
      "tollgate.yaml:2:5: upstreams[0].base_url is required without a preset",
    ],
    [
      "a model twice",
      `${GOOD}  - { id: fast-chat, routes: [{ upstream: openai, model: x }] }\n`,
      'tollgate.yaml:14:7: models[1].id repeats "fast-chat"',
    ],
    [
      "a star within an id",
      GOOD.replace("id: fast-chat", "id: fast-*-chat"),
      "tollgate.yaml:7:5: models[0].id must be ASCII without spaces, more than dots, and with a * only at its end",
    ],
    [
      "a price too fine",
      GOOD.replace("0.15", "0.1234567"),
      "tollgate.yaml:11:14: models[0].price.input_per_million has more than six decimals",
    ],
    [
      "a negative price",
      GOOD.replace("0.15", "-1"),
      "tollgate.yaml:11:14: models[0].price.input_per_million must be between 0 and 1000000, not -1",
    ],
    [
      "a deprecated model without a date",
      GOOD.replace("    owned_by: acme", "    state: deprecated"),
      "tollgate.yaml:7:5: models[0].shutdown_date is required on a deprecated model",
    ],
    [
      "a replacement that is not there",
      GOOD.replace("    owned_by: acme", "    state: retired\n    replacement: x"),
      'tollgate.yaml:9:5: models[0].replacement must name another available model; "x" is not',
    ],
    [
      "a timeout beyond all clocks",
      GOOD.replace("    credential", "    timeouts: { total_ms: 9000000000 }\n    credential"),
      "tollgate.yaml:5:17: upstreams[0].timeouts.total_ms must be between 1 and 86400000, not 9000000000",
    ],
    [
      "a timeout beyond what can be represented",
      GOOD.replace("    credential", "    timeouts: { total_ms: 9577354647427634 }\n    credential"),
      "tollgate.yaml:5:17: upstreams[0].timeouts.total_ms must be between 1 and 86400000",
    ],
    [
      "a credential that fits no header",
      GOOD.replace("${OPENAI_API_KEY}", '"a\\nb"'),
      "tollgate.yaml:5:5: upstreams[0].credential must be ASCII without spaces",
    ],
    [
      "a password without a user",
      GOOD.replace("https://", "https://:b@"),
      "tollgate.yaml:4:5: upstreams[0].base_url must be a bare address",
    ],
    [
      "a model id that fits no header",
      GOOD.replace("id: fast-chat", "id: 模型"),
      "tollgate.yaml:7:5: models[0].id must be ASCII without spaces, more than dots, and with a * only at its end",
    ],
    [
      "an owner with control characters",
      GOOD.replace("owned_by: acme", 'owned_by: "ac\\u009bme"'),
      "tollgate.yaml:8:5: models[0].owned_by must be text without control characters",
    ],
    ["an alias that points nowhere", GOOD.replace("owned_by: acme", "owned_by: *nobody"), "tollgate.yaml:"],
    ["a list", "- a", "tollgate.yaml:1:1: the file must be an object, not an array"],
  ];
  for (const [name, yaml, message] of cases) {
    test(`with ${name} is rejected with its position`, async () => expect(await problemOf(load(yaml))).toStartWith(message));
  }

  test("with an invalid credential is rejected without revealing it", async () => {
    const problem = await problemOf(load(GOOD, { OPENAI_API_KEY: "sk-live-canary\r" }));
    expect(problem).toBe("tollgate.yaml:5:5: upstreams[0].credential must be ASCII without spaces");
  });

  test("that is named but does not exist is rejected", async () => {
    expect(await problemOf(loadConfig({ TOLLGATE_CONFIG: join(folder, "nope.yaml") }))).toContain(
      "TOLLGATE_CONFIG is nope.yaml, which does not exist",
    );
  });
});

describe("the environment", () => {
  const TOGETHER = "TOLLGATE_OIDC_ISSUER and TOLLGATE_OIDC_CLIENT_ID belong together, but";

  test("has defaults that are closed to the network", async () => {
    const config = await load(GOOD);
    expect([config.gateway, config.platform]).toEqual([
      { hostname: "127.0.0.1", port: 8700 },
      { hostname: "127.0.0.1", port: 8701 },
    ]);
    expect(config.maxBodyBytes).toBe(20 * 1024 * 1024);
    expect([config.bodiesMaxBytes, config.uploadSeconds]).toEqual([256 * 1024 * 1024, 120]);
  });

  test("is rejected by name when it is invalid", async () => {
    const cases: [Record<string, string>, string][] = [
      [{ TOLLGATE_PORT: "http" }, 'TOLLGATE_PORT must be a whole number between 0 and 65535, not "http"'],
      [{ TOLLGATE_PLATFORM_PORT: "70000" }, "TOLLGATE_PLATFORM_PORT must be"],
      [{ TOLLGATE_MAX_BODY_BYTES: "-1" }, "TOLLGATE_MAX_BODY_BYTES must be"],
      [{ TOLLGATE_OPERATOR_TOKEN: "short" }, "TOLLGATE_OPERATOR_TOKEN must have at least 16 characters and no space"],
      [{ TOLLGATE_OIDC_ISSUER: "https://id.test" }, `${TOGETHER} TOLLGATE_OIDC_CLIENT_ID is not set`],
      [{ TOLLGATE_OIDC_CLIENT_ID: "tollgate" }, `${TOGETHER} TOLLGATE_OIDC_ISSUER is not set`],
      [{ TOLLGATE_OIDC_CLIENT_SECRET: "canary" }, `${TOGETHER} TOLLGATE_OIDC_ISSUER is not set`],
      ...["id.test", "http://id.test", "http://10.0.0.1", "https://id.test?tenant=a", "ftp://127.0.0.1"].map(
        (issuer): [Record<string, string>, string] => [
          { TOLLGATE_OIDC_ISSUER: issuer, TOLLGATE_OIDC_CLIENT_ID: "tollgate" },
          "TOLLGATE_OIDC_ISSUER must be an https:// URL",
        ],
      ),
    ];
    for (const [env, message] of cases) expect(await problemOf(load(GOOD, { OPENAI_API_KEY: "x", ...env }))).toStartWith(message);
  });

  test("sets the number of processes, unless the option of the command does", async () => {
    const env = { TOLLGATE_PROCESSES: "3" };
    expect((await loadWithoutFile({})).processes).toBe(1);
    expect((await loadWithoutFile({ TOLLGATE_PROCESSES: "" })).processes).toBe(1);
    expect((await loadWithoutFile(env)).processes).toBe(3);
    expect((await loadConfig(env, { processes: "2" })).processes).toBe(2);
    expect(await problemOf(loadConfig(env, { processes: "none" }))).toStartWith(
      "--processes must be a whole number between 1 and 256, or auto",
    );
  });

  test("configures an OpenID provider completely or not at all", async () => {
    expect((await load(GOOD)).oidc).toBeUndefined();
    const variables = { OPENAI_API_KEY: "x", TOLLGATE_OIDC_ISSUER: "https://id.test/tenant", TOLLGATE_OIDC_CLIENT_ID: "tollgate" };
    const { oidc } = await load(GOOD, { ...variables, TOLLGATE_OIDC_CLIENT_SECRET: "canary" });
    expect(oidc).toMatchObject({ issuer: "https://id.test/tenant", clientId: "tollgate" });
    expect([oidc?.clientSecret?.reveal(), JSON.stringify(oidc).includes("canary")]).toEqual(["canary", false]);
    expect((await load(GOOD, variables)).oidc?.clientSecret).toBeUndefined();
    expect((await load(GOOD, { ...variables, TOLLGATE_OIDC_ISSUER: "http://localhost:9000" })).oidc).toBeDefined();
  });

  test("allows a private address in OPENAI_BASE_URL when it is an IP address or http://", async () => {
    const cases: [string, boolean][] = [
      ["http://127.0.0.1:8080/v1", true],
      ["https://localhost/v1", true],
      ["https://192.168.1.9/v1", true],
      ["http://ollama:11434/v1", true],
      ["https://llm.example.com/v1", false],
    ];
    for (const [baseUrl, allowPrivate] of cases) {
      expect((await loadWithoutFile({ OPENAI_API_KEY: "sk-other", OPENAI_BASE_URL: baseUrl })).discover[0]).toMatchObject({
        id: "openai",
        baseUrl,
        allowPrivate,
      });
    }
    for (const baseUrl of ["other.test/v1", "http://8.8.8.8/v1", "http://169.254.169.254/v1", "https://user:canary@example.com/v1"]) {
      const problem = await problemOf(loadWithoutFile({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: baseUrl }));
      expect(problem).toStartWith("OPENAI_BASE_URL ");
      expect(problem).not.toContain("canary");
    }
    const local = (await loadWithoutFile({})).discover.map((upstream) => upstream.dialect === "openai" && upstream.allowPrivate);
    expect(local).toEqual([true, true, true, true]);
  });

  test("without a file offers the echo model and providers with credentials, but never sends our own key to one", async () => {
    const elsewhere = await loadWithoutFile({ OPENAI_API_KEY: "sk-other", OPENAI_BASE_URL: "http://other.test/v1" });
    expect(elsewhere.discover[0]).toMatchObject({ id: "openai", baseUrl: "http://other.test/v1" });
    const config = await loadWithoutFile({ GROQ_API_KEY: "gsk", OPENAI_API_KEY: makeApiKey().key.reveal() });
    expect([...config.declared.catalog.keys()]).toEqual(["echo"]);
    expect(config.discover.map((upstream) => upstream.id)).toEqual(["groq", "ollama", "lm-studio", "vllm", "llama-cpp"]);
    expect((await loadWithoutFile({ OPENAI_API_KEY: "gsk", OPENAI_BASE_URL: "https://api.groq.com/openai/v1" })).discover[0]).toMatchObject(
      {
        id: "openai",
        preset: "groq",
      },
    );
    const misnamed = loadWithoutFile({}, () => writeFileSync("tollgate.yml", GOOD));
    expect(await problemOf(misnamed)).toBe("found tollgate.yml: rename it to tollgate.yaml");
  });
});
