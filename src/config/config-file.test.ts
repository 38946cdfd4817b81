import { NO_LIMITS, readRates } from "../money/limits.ts";
import { describe, expect, test } from "bun:test";
import { makeApiKey } from "../access/api-key.ts";
import { PRESET_IDS, baseUrlOf, presetOf } from "../models/presets.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { StoredState } from "./check-changes.ts";
import { parseConfigFile, type ConfigDeclarations } from "./config-file.ts";
import type { ConfigError } from "./config-error.ts";

/** A file with one upstream, and a model that it serves. */
function fileWith(upstream: string, model = "gpt-4o-mini"): ConfigDeclarations {
  const text = `upstreams:\n  - ${upstream}\nmodels:\n  - { id: m, routes: [{ upstream: u, model: "${model}" }] }\n`;
  return parseConfigFile(text, "tollgate.yaml", { SECRET: "from-the-environment" }, 0);
}

function upstreamOf(upstream: string): RemoteSettings {
  return fileWith(upstream).upstreams[0] as RemoteSettings;
}

function pricesOf(upstream: string, model: string): number {
  return fileWith(upstream, model).catalog.get("m")!.prices.length;
}

function accountWith(field: string): ConfigDeclarations["accounts"] {
  return parseConfigFile(`accounts:\n  - id: a\n    name: A\n    ${field}\n`, "tollgate.yaml", {}, 0).accounts;
}

const problemsOf = (text: string): string[] => {
  try {
    parseConfigFile(text, "f", {}, 0);
    return [];
  } catch (error) {
    return (error as ConfigError).problems.map((each) => each.replace(/: (\S+) .*/, " $1"));
  }
};

test("every error of a file is reported, first errors of form and then errors of content", () => {
  const form = `upstreams:
  - { id: u, dialekt: openai, base_url: "\${URL}", credential: 5 }
  - { id: "", dialect: echo }
models:
  - { id: m, routes: [{ upstream: u }], prise: 1 }
`;
  expect(problemsOf(form)).toEqual([
    "f:2:41 these",
    "f:2:14 upstreams[0].dialekt",
    "f:2:51 upstreams[0].credential",
    "f:3:7 upstreams[1].id",
    "f:5:41 models[0].prise",
    "f:5:23 models[0].routes[0].model",
  ]);
  const content = `upstreams:
  - { id: u, dialect: openai, base_url: "http://8.8.8.8/v1" }
  - { id: v, dialect: openai, base_url: "ftp://v" }
  - { id: e, dialect: echo }
models:
  - { id: m, routes: [{ upstream: x, model: a }], free: true }
  - { id: m, routes: [{ upstream: e, model: a }], free: true, fallback_models: [nobody] }
`;
  expect(problemsOf(content)).toEqual([
    "f:7:7 models[1].id",
    "f:6:25 models[0].routes[0].upstream",
    "f:7:81 models[1].fallback_models[0]",
    "f:2:31 upstreams[0].base_url",
    "f:3:31 upstreams[1].base_url",
  ]);
});

test("a check may go without the variables of a file, and reports what it did not check", () => {
  const text = `upstreams:
  - { id: u, dialect: openai, base_url: "\${BASE}/v1", credential: "\${SECRET_KEY}" }
  - { id: b, dialect: "\${A}", base_url: "https://b/\${B}" }
models:
  - { id: m, routes: [{ upstream: u, model: "\${MODEL}" }], free: true }
`;
  const { upstreams, unset } = parseConfigFile(text, "f", {}, 0, { mayMiss: true });
  expect([upstreams.map(({ id }) => id), unset]).toEqual([["u"], ["BASE", "SECRET_KEY", "A", "B", "MODEL"]]);
  expect(() => parseConfigFile(`${text}  - { id: n, routes: [] }\n`, "f", {}, 0, { mayMiss: true })).toThrow("models[1].routes");
});

test("a file with only upstreams declares no models", () => {
  const { upstreams, catalog } = parseConfigFile("upstreams: [{ id: u, dialect: echo }]\n", "tollgate.yaml", {}, 0);
  expect([upstreams.length, catalog.size]).toEqual([1, 0]);
});

test.each(["", "\n", "# upstreams:\n", "---\n", "---\n# nothing yet\n...\n", "{}\n", "accounts: []\n"])(
  "a file of %j declares nothing",
  (text) => {
    const { upstreams, catalog, accounts } = parseConfigFile(text, "tollgate.yaml", {}, 0);
    expect([upstreams, catalog.size, accounts]).toEqual([[], 0, []]);
  },
);

test("an account shows its credit to the holders of its keys unless it says otherwise", () => {
  expect([accountWith("")[0]!.showCredit, accountWith("show_credit: false")[0]!.showCredit]).toEqual([true, false]);
});

test("a credit line is an amount, quoted or not, or unlimited", () => {
  const lines = ["500", "'0.10'", "unlimited"].map((line) => accountWith(`credit_line: ${line}`)[0]!.creditLine);
  expect(lines).toEqual([500_000_000_000n, 100_000_000n, "unlimited"]);
  for (const line of ["-1", "none", "1e-12"]) expect(() => accountWith(`credit_line: ${line}`)).toThrow("accounts[0].credit_line");
});

describe("a field without a value", () => {
  test("means none if null is allowed", () => {
    const perTag = accountWith("caps: { per_user: { day: 0.1 }, per_tag: { team: { month: '5' } } }")[0]!.caps;
    expect(perTag).toMatchObject({
      perUser: { dayNanos: 100_000_000n, monthNanos: null },
      perTag: { team: { monthNanos: 5_000_000_000n } },
    });
    expect(accountWith("limits: { per_user: { concurrent_requests: 2 } }")[0]!.limits).toMatchObject({
      perUser: readRates({ concurrent_requests: 2 }),
    });
    expect(accountWith("caps: { day: , month: 5 }")[0]!.caps).toEqual({ dayNanos: null, monthNanos: 5_000_000_000n, totalNanos: null });
    expect(accountWith("limits: { requests_per_minute: }")[0]!.limits).toEqual(NO_LIMITS);
    expect(accountWith("low_credit:")[0]!.lowCreditNanos).toBeNull();
    expect(accountWith("credit_line:")[0]!.creditLine).toBe(0n);
  });

  test.each(["models", "limits", "caps", "log_bodies", "show_credit"])("is refused where it was forgotten: %s", (name) => {
    expect(() => accountWith(`${name}:`)).toThrow(`tollgate.yaml:4:5: accounts[0].${name} has no value: set one, or omit the field`);
  });
});

function unattributed(more: string): ConfigDeclarations {
  const yaml = `upstreams: [{ id: u, dialect: echo }]\naccounts:\n  - { id: acme, name: A, attribution: off, ${more} }\n`;
  return parseConfigFile(yaml, "tollgate.yaml", {}, 0);
}

describe("an upstream in the file", () => {
  test.each(PRESET_IDS.filter((id) => baseUrlOf(presetOf(id))))("needs no more than the preset %s and a credential", (preset) => {
    const { dialect, baseUrl, isLocal = false } = presetOf(preset);
    const upstream = upstreamOf(`{ id: u, preset: ${preset}, credential: "\${SECRET}" }`);
    expect(upstream).toMatchObject({ preset, dialect, baseUrl, allowPrivate: isLocal });
    expect(upstream.credentials.map((each) => each.reveal())).toEqual(["from-the-environment"]);
  });

  test("has the preset of a well-known base URL, and its own base URL takes precedence over the preset's", () => {
    expect(upstreamOf("{ id: u, dialect: openai, base_url: https://api.groq.com/openai/v1 }").preset).toBe("groq");
    expect(upstreamOf("{ id: u, dialect: openai, base_url: https://llm.example/v1 }").preset).toBeUndefined();
    const elsewhere = upstreamOf("{ id: u, preset: mistral, base_url: https://eu.example/v1 }");
    expect(elsewhere).toMatchObject({ preset: "mistral", baseUrl: "https://eu.example/v1" });
  });

  test("has several credentials and its own limits", () => {
    const upstream = upstreamOf('{ id: u, preset: groq, credentials: [a, "${SECRET}"], concurrency: { max_calls: 7 } }');
    expect(upstream.credentials.map((each) => each.reveal())).toEqual(["a", "from-the-environment"]);
    expect(upstream.concurrency).toEqual({ maxCalls: 7, maxQueued: 1000, maxWaitMs: 5000 });
  });

  const refused: [string, string, string][] = [
    ["no dialect", "{ id: u, base_url: https://a.test }", "2:5: upstreams[0].dialect is required without a preset"],
    [
      "a preset whose customers have addresses of their own",
      "{ id: u, preset: azure }",
      "2:5: upstreams[0].base_url is required with the preset azure: https://{resource}.openai.azure.com/openai/v1",
    ],
    [
      "a different dialect than its preset",
      "{ id: u, preset: gemini, dialect: openai }",
      "2:30: upstreams[0].dialect differs from the API format of the preset gemini, which speaks gemini",
    ],
    [
      "both words for credentials",
      "{ id: u, preset: groq, credential: a, credentials: [b] }",
      "2:43: upstreams[0].credentials cannot be combined with credential: set only one of them",
    ],
    [
      "a credential twice",
      "{ id: u, preset: groq, credentials: [a, b, a] }",
      "2:48: upstreams[0].credentials[2] is the same as one before it",
    ],
    ["no credential in the list", "{ id: u, preset: groq, credentials: [] }", "2:28: upstreams[0].credentials must have at least 1 item"],
    [
      "a preset for the echo",
      "{ id: u, dialect: echo, preset: groq }",
      "2:14: upstreams[0].dialect differs from the API format of the preset groq, which speaks openai",
    ],
  ];
  const shown: [string, string][] = [
    ["max_price: 5 }]", "routes[0].max_price must be an object such as { input_per_million: 2.5 }, not 5"],
    ["max_prize: 5 }]", "routes[0].max_prize is not a known field: the nearest is max_price"],
    ["weight: 1 }], cache: 60", "cache must be an object such as { ttl_seconds: 3600 }, not 60"],
    ["weight: 1 }], timeouts: 60", "timeouts must be an object such as { total_ms: 60000 }, not 60"],
    ["weight: 1 }], parameters: { seed: no }", 'parameters.seed must be one of pass, drop, refuse or { rename: other }, not "no"'],
  ];
  test.each(shown)("and a model of it with %s is refused with what to write", (written, problem) => {
    const yaml = `upstreams: [{ id: u, dialect: echo }]\nmodels: [{ id: m, routes: [{ upstream: u, model: x, ${written} }]\n`;
    expect(() => parseConfigFile(yaml, "tollgate.yaml", {}, 0)).toThrow(`models[0].${problem}`);
  });

  test.each(refused)("with %s is refused at its place", (_, upstream, problem) => {
    expect(() => fileWith(upstream)).toThrow(`tollgate.yaml:${problem}`);
  });

  test("must not limit end users or tags that it does not store", () => {
    expect(() => unattributed("caps: { per_user: { day: 1 } }")).toThrow(
      "tollgate.yaml:3:64: accounts[0].caps.per_user.day needs attribution: clear it, or set `attribution`",
    );
    expect(() => unattributed("limits: { per_tag: { a: { concurrent_requests: 1 } } }")).toThrow(
      "accounts[0].limits.per_tag needs attribution",
    );
    const declared = unattributed("models: ['*']");
    const stored = {
      stateOf: () => undefined,
      isOwnKey: () => false,
      catalog: declared.catalog,
      removedUpstreams: [],
      removedModels: [],
      inUse: [],
      priceLists: new Set<string>(),
      accountIds: new Set<string>(),
    };
    expect(() =>
      declared.checkAgainst({ ...stored, keyWithParts: () => "k1", usedPriceLists: new Map(), inUseSinceMs: 0, nowMs: 0 }),
    ).toThrow("tollgate.yaml:3:26: accounts[0].attribution cannot be off: the key k1 has limits or spend caps per end user or tag");
  });

  test("must not have a Tollgate key among its credentials", () => {
    const own = makeApiKey().key.reveal();
    const declared = fileWith(`{ id: u, preset: groq, credentials: [a, ${own}] }`);
    const stored: StoredState = {
      stateOf: () => undefined,
      isOwnKey: (credential) => credential === own,
      catalog: declared.catalog,
      keyWithParts: () => undefined,
      removedUpstreams: [],
      removedModels: [],
      inUse: [],
      inUseSinceMs: 0,
      priceLists: new Set(),
      accountIds: new Set(),
      usedPriceLists: new Map(),
      nowMs: 0,
    };
    expect(() => declared.checkAgainst(stored)).toThrow("tollgate.yaml:2:45: upstreams[0].credentials[1] is a key of Tollgate's own");
  });

  test("gives its models the prices of its preset's base URL", () => {
    expect(pricesOf("{ id: u, preset: anthropic, credential: a }", "claude-sonnet-4-5")).toBeGreaterThan(0);
    expect(pricesOf("{ id: u, preset: gemini, credential: a }", "gemini-2.5-flash")).toBeGreaterThan(0);
    expect(pricesOf("{ id: u, preset: groq, base_url: https://a.test, credential: a }", "llama-3.3-70b-versatile")).toBe(0);
  });
});
