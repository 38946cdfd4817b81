import * as fc from "fast-check";

/** Occurs in a generated file only where it is inserted. */
export const CANARY = "canary";

const secret = fc.integer({ min: 0, max: 9 }).map((number) => `sk-${CANARY}-${number}-do-not-print`);

const AWKWARD = [
  "",
  " ",
  "a b",
  "*",
  "é",
  "true",
  "1e3",
  "null",
  "# x",
  "a: b",
  "${HOME}",
  "a${X:-y}b",
  "__proto__",
  "constructor",
  "a\nb",
  "\u001b[1m",
  "<<",
  "'",
  '"',
  "{",
  "x".repeat(201),
];

const name = fc.oneof(fc.constantFrom("a", "b", "c", "gpt-4o", "org/model"), fc.constantFrom(...AWKWARD), fc.string({ maxLength: 12 }));

const PROVIDERS = [
  "openai",
  "azure",
  "azure_ai",
  "anthropic",
  "gemini",
  "vertex_ai",
  "bedrock",
  "groq",
  "mistral",
  "together_ai",
  "fireworks_ai",
  "openrouter",
  "ollama",
  "ollama_chat",
  "hosted_vllm",
  "openai_like",
  "cohere",
  "replicate",
  "toString",
];

const model = fc.oneof(
  fc
    .tuple(fc.constantFrom(...PROVIDERS), fc.oneof(name, fc.constantFrom("openai.gpt-oss-20b-1:0", "gpt-4o", "*")))
    .map((parts) => parts.join("/")),
  fc.constantFrom("gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro", "os.environ/MODEL"),
  name,
);

const address = fc.oneof(
  fc.constantFrom(
    "https://llm.example/v1",
    "https://llm.example/v1/",
    "http://localhost:11434",
    "http://10.0.0.8:8000/v1",
    "https://acme.openai.azure.com/",
    "https://api.anthropic.com",
    "os.environ/LLM_URL",
    "os.environ/not-a-name",
    "http://169.254.169.254/",
    "http://0.0.0.0:4000",
    "nowhere",
    "https://*.example/v1",
    `https://${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}/v1`,
  ),
  secret.map((text) => `https://user:${text}@llm.example/v1`),
  secret.map((text) => `https://llm.example/v1?key=${text}`),
  fc.webUrl(),
  name,
);

const apiKey = fc.oneof(
  secret,
  secret,
  fc.constantFrom("os.environ/OPENAI_API_KEY", "os.environ/OTHER_KEY", "${FILLED_IN}", "none", "", 12345, null),
  secret.map((text) => `\${X:-${text}}`),
);

const amount = fc.oneof(
  fc.constantFrom(0, 1e-6, 2.5e-7, "3e-06", -1, 2, "x", 1.234e-13, null),
  fc.double({ min: 0, max: 1e-3, noNaN: true }),
);

const count = fc.oneof(fc.integer({ min: -5, max: 200_000 }), fc.constantFrom("8192", 1.5, "many", null));

const rest = fc.dictionary(
  fc.constantFrom("rpm", "tpm", "extra_headers", "aws_secret_access_key", "temperature", "zzz", "__proto__", "mode"),
  secret,
  { maxKeys: 3 },
);

/** Most deployments of most files are valid, because an invalid deployment hides all other problems in it. */
function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

const SOUND = [
  "openai/gpt-4o",
  "gpt-4o-mini",
  "groq/x",
  "fireworks_ai/y",
  "azure/dep",
  "bedrock/openai.gpt-oss-20b-1:0",
  "ollama/l",
  "gemini/g",
  "hosted_vllm/v",
];

const params = fc
  .tuple(
    fc.record({
      model: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...SOUND) }, { weight: 2, arbitrary: model }),
      api_base: seldom(address),
      api_key: fc.oneof(apiKey, fc.constant(undefined)),
      custom_llm_provider: seldom(fc.constantFrom("openai", "groq", "nobody")),
      litellm_credential_name: seldom(fc.constantFrom("shared", "shared", "unknown")),
      timeout: seldom(count),
      stream_timeout: seldom(count),
      input_cost_per_token: fc.option(amount),
      output_cost_per_token: fc.option(amount),
      input_cost_per_token_above_200k_tokens: seldom(amount),
      aws_region_name: seldom(fc.constantFrom("us-west-2", "os.environ/AWS_REGION", "a b")),
      aws_access_key_id: seldom(fc.constantFrom("AKIAIOSFODNN7EXAMPLE", "os.environ/AWS_ID", CANARY)),
      aws_secret_access_key: seldom(fc.constantFrom(CANARY, "os.environ/AWS_SECRET", `\${X:-${CANARY}}`, 7)),
      aws_role_name: seldom(fc.constantFrom("arn:aws:iam::123456789012:role/r", "os.environ/ROLE", "r")),
      aws_bedrock_runtime_endpoint: seldom(fc.constantFrom("https://vpce.example", "http://10.0.0.1", "x")),
      vertex_project: seldom(fc.constantFrom("acme-prod", "os.environ/PROJECT", "A b")),
      vertex_location: seldom(fc.constantFrom("global", "europe-west4", "os.environ/LOCATION", "a b")),
      vertex_credentials: seldom(fc.constantFrom("/etc/key.json", `{"private_key": "${CANARY}"}`, "os.environ/KEY", { a: 1 })),
      tenant_id: seldom(fc.constantFrom("acme.example", "os.environ/TENANT", "a b")),
      client_id: seldom(fc.constantFrom("00000000-0000-0000-0000-000000000000", "os.environ/CLIENT")),
      client_secret: seldom(fc.constantFrom(CANARY, "os.environ/SECRET", "")),
      azure_ad_token: seldom(fc.constantFrom(CANARY, "os.environ/ENTRA", "oidc/x")),
    }),
    rest,
  )
  .map(([fields, others]) => ({ ...others, ...fields }));

const deployment = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record(
      {
        model_name: name,
        litellm_params: params,
        model_info: seldom(fc.record({ max_tokens: count, max_input_tokens: count, mode: fc.constantFrom("chat", "chat", "embedding") })),
      },
      { requiredKeys: ["model_name", "litellm_params"] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, "word", 5, [], {}, { model_name: "a" }, { model_name: ["a"], litellm_params: 3 }) },
);

export interface Generated {
  readonly model_list: readonly unknown[];
  readonly credential_list: readonly unknown[];
}

/** A LiteLLM config, valid or nearly valid. */
export const litellmConfig: fc.Arbitrary<Generated> = fc.record({
  // Objects that occur twice are written as anchors and aliases.
  model_list: fc
    .tuple(fc.array(deployment, { maxLength: 12 }), fc.boolean())
    .map(([list, twice]) => (twice ? [...list, ...list.slice(0, 2)] : list)),
  credential_list: fc.constant([{ credential_name: "shared", credential_values: { api_key: `sk-${CANARY}-shared-do-not-print` } }]),
  router_settings: fc.record({ timeout: count, model_group_alias: fc.dictionary(name, name, { maxKeys: 3 }) }, { requiredKeys: [] }),
  general_settings: fc.dictionary(fc.constantFrom("master_key", "database_url", "other"), secret),
  environment_variables: fc.dictionary(fc.constantFrom("OPENAI_API_KEY", "OTHER"), secret),
});
