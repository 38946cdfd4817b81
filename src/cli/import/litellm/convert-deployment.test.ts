import { describe, expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import { importLiteLLM, type ImportedConfig } from "./import-litellm.ts";

type Params = Readonly<Record<string, unknown>>;

function importOne(params: Params, info?: unknown, more: object = {}): ImportedConfig {
  const deployment = { model_name: "m", litellm_params: params, ...(info !== undefined && { model_info: info }) };
  return importLiteLLM(stringify({ model_list: [deployment], ...more }), "c.yaml");
}

function converted(params: Params, info?: unknown, more?: object): { upstream: DeclaredUpstream; model: DeclaredModel; whys: string[] } {
  const { config, unsupported } = importOne(params, info, more);
  const { upstreams, models } = parse(config) as { upstreams: DeclaredUpstream[]; models: DeclaredModel[] };
  return { upstream: upstreams[0]!, model: models[0]!, whys: unsupported.map(({ field, why }) => `${field}: ${why}`) };
}

function priceOf(params: Params, info?: object): unknown {
  const { model } = converted({ model: "openai/gpt-4o", ...params }, info);
  return model.free ? "free" : model.price;
}

function isPrivate(host: string): boolean {
  return converted({ model: "openai/x", api_base: `${host}/v1` }).upstream.allow_private ?? false;
}

describe("the identity of a deployment", () => {
  const vertex = "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme-prod/locations/europe-west4";
  const place = { vertex_project: "acme-prod", vertex_location: "europe-west4" };
  const role = { aws_role_name: "arn:aws:iam::123456789012:role/gateway", aws_session_name: "litellm", aws_external_id: "os.environ/EXT" };
  const cases: [string, Params, Partial<DeclaredUpstream>][] = [
    ["at Bedrock is the machine's identity", { model: "bedrock/openai.x", aws_region_name: "eu-west-1" }, { aws: { region: "eu-west-1" } }],
    [
      "at Bedrock is the machine's identity, by Converse for other models than OpenAI's",
      { model: "bedrock/cn-north-1/anthropic.claude-sonnet-4-5-20250929-v1:0" },
      { dialect: "bedrock", base_url: "https://bedrock-runtime.cn-north-1.amazonaws.com.cn", aws: { region: "cn-north-1" } },
    ],
    [
      "at Bedrock is in the European Sovereign Cloud",
      { model: "bedrock/eusc-de-east-1/amazon.nova-lite-v1:0" },
      { dialect: "bedrock", base_url: "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu", aws: { region: "eusc-de-east-1" } },
    ],
    [
      "at Bedrock is an access key",
      {
        model: "bedrock/openai.x",
        aws_region_name: "os.environ/REGION",
        aws_access_key_id: "os.environ/ID",
        aws_secret_access_key: "os.environ/SECRET",
        aws_session_token: "os.environ/SESSION",
      },
      { aws: { region: "${REGION}", access_key_id: "${ID}", secret_access_key: "${SECRET}", session_token: "${SESSION}" } },
    ],
    [
      "at Bedrock is a role of a profile, at an endpoint in the private network",
      { model: "bedrock/us-east-1/openai.x", aws_profile_name: "prod", ...role, aws_bedrock_runtime_endpoint: "https://vpce-1.internal" },
      {
        base_url: "https://vpce-1.internal/openai/v1",
        allow_private: true,
        aws: { region: "us-east-1", profile: "prod", role_arn: role.aws_role_name, role_session_name: "litellm", external_id: "${EXT}" },
      },
    ],
    [
      "at Vertex AI is the machine's identity, for Gemini",
      { model: "vertex_ai/gemini-2.5-pro", ...place },
      { dialect: "gemini", base_url: `${vertex}/publishers/google`, google: { project: "acme-prod", location: "europe-west4" } },
    ],
    [
      "at Vertex AI is a file, for Claude",
      { model: "vertex_ai/claude-sonnet-4-5@20250929", ...place, vertex_credentials: "/etc/key.json" },
      {
        dialect: "anthropic",
        base_url: `${vertex}/publishers/anthropic`,
        google: { project: "acme-prod", location: "europe-west4", credentials_file: "/etc/key.json" },
      },
    ],
    [
      "at Vertex AI is in a variable, with the defaults of LiteLLM",
      { model: "vertex_ai/meta/llama-4-maas", vertex_credentials: "os.environ/KEY" },
      {
        dialect: "openai",
        base_url: "https://us-central1-aiplatform.googleapis.com/v1/projects/${VERTEXAI_PROJECT}/locations/us-central1/endpoints/openapi",
        google: { project: "${VERTEXAI_PROJECT}", location: "us-central1", credentials: "${KEY}" },
      },
    ],
    [
      "of a Gemini name, which LiteLLM takes to Vertex AI",
      { model: "gemini-2.5-pro", vertex_project: "acme-prod", vertex_location: "global" },
      { base_url: "https://aiplatform.googleapis.com/v1/projects/acme-prod/locations/global/publishers/google" },
    ],
    [
      "at Azure is an application",
      {
        model: "azure/dep",
        api_base: "https://acme.openai.azure.com",
        tenant_id: "os.environ/TENANT",
        client_id: "os.environ/CLIENT",
        client_secret: "os.environ/SECRET",
      },
      { azure: { tenant_id: "${TENANT}", client_id: "${CLIENT}", client_secret: "${SECRET}" } },
    ],
  ];
  for (const [name, params, expected] of cases) {
    test(name, () => {
      const { upstream } = converted(params);
      expect(upstream).toMatchObject(expected);
      expect(upstream.credential).toBeUndefined();
    });
  }

  test("at Azure is the machine's identity where LiteLLM refreshes its tokens, unless there is a key", () => {
    const azure = { model: "azure/x", api_base: "https://a.openai.azure.com" };
    const setting = { enable_azure_ad_token_refresh: true };
    for (const { upstream, whys } of [converted({ ...azure, ...setting }), converted(azure, undefined, { litellm_settings: setting })]) {
      expect([upstream.azure, upstream.credential, whys.join()]).toEqual([{}, undefined, expect.not.stringContaining("refresh") as string]);
    }
    expect(converted({ ...azure, ...setting, api_key: "os.environ/K" }).upstream).toMatchObject({ credential: "${K}" });
  });

  test("at Vertex AI is read by both of LiteLLM's names", () => {
    const other = { vertex_ai_project: "acme-prod", vertex_ai_location: "europe-west4", vertex_ai_credentials: "/etc/key.json" };
    const { upstream, whys } = converted({ model: "vertex_ai/gemini-2.5-pro", ...other });
    expect(upstream.google).toEqual({ project: "acme-prod", location: "europe-west4", credentials_file: "/etc/key.json" });
    expect(whys.join()).not.toContain("vertex_ai_");
  });

  test("at a VPC endpoint may have a private address, in the region of the endpoint, and is not free", () => {
    const { upstream, model } = converted({
      model: "bedrock/us.anthropic.claude-x",
      aws_region_name: "os.environ/R",
      aws_bedrock_runtime_endpoint: "https://vpce-0a-b.bedrock-runtime.eu-west-1.vpce.amazonaws.com",
    });
    expect([upstream.allow_private, upstream.aws, model.free]).toEqual([true, { region: "eu-west-1" }, undefined]);
  });

  test("at Bedrock by a web identity is the machine's identity, whose variables are named", () => {
    const { upstream, whys } = converted({ model: "bedrock/us-east-1/openai.x", ...role, aws_web_identity_token: "os.environ/TOKEN" });
    expect(upstream.aws).toEqual({ region: "us-east-1" });
    expect(whys.join()).toMatch(/AWS_WEB_IDENTITY_TOKEN_FILE to the file of the token and AWS_ROLE_ARN to the aws_role_name/);
  });

  test("has no plaintext secret in the file", () => {
    const keys = { aws_access_key_id: "AKIAIOSFODNN7EXAMPLE", aws_secret_access_key: "plaintext-secret" };
    const { config, variables } = importOne({ model: "bedrock/us-east-1/openai.x", ...keys });
    expect(config).not.toContain("plaintext-secret");
    expect([config, variables]).toEqual([expect.stringContaining("${BEDROCK_SECRET_ACCESS_KEY}"), ["BEDROCK_SECRET_ACCESS_KEY"]]);
  });

  test("that is an access token of Entra ID is a credential, with a caveat", () => {
    const { upstream, whys } = converted({ model: "azure/x", api_base: "https://a.openai.azure.com", azure_ad_token: "os.environ/T" });
    expect([upstream.credential, upstream.azure]).toEqual(["${T}", undefined]);
    expect(whys.join()).toContain("which expires after about an hour");
  });

  test("is not needed with an api_key", () => {
    const azure = { tenant_id: "t", client_id: "c", client_secret: "s" };
    for (const params of [
      { model: "bedrock/us-east-1/openai.x" },
      { model: "azure/x", api_base: "https://a.openai.azure.com", ...azure },
    ]) {
      const { upstream } = converted({ ...params, api_key: "os.environ/K" });
      expect([upstream.credential, upstream.aws, upstream.azure]).toEqual(["${K}", undefined, undefined]);
    }
  });
});

describe("the endpoint of a deployment", () => {
  const key = "os.environ/K";
  const cases: [string, Params, [id: string, baseUrl: string, model: string, credential?: string]][] = [
    ["OpenAI", { model: "openai/gpt-4o", api_key: key }, ["openai", "https://api.openai.com/v1", "gpt-4o", "K"]],
    ["a name that is OpenAI's", { model: "gpt-4o" }, ["openai", "https://api.openai.com/v1", "gpt-4o", "OPENAI_API_KEY"]],
    [
      "a name that is Anthropic's",
      { model: "claude-sonnet-4-5" },
      ["anthropic", "https://api.anthropic.com/v1", "claude-sonnet-4-5", "ANTHROPIC_API_KEY"],
    ],
    [
      "a provider of its own field",
      { model: "x/y", custom_llm_provider: "groq" },
      ["groq", "https://api.groq.com/openai/v1", "x/y", "GROQ_API_KEY"],
    ],
    ["that field twice", { model: "groq/y", custom_llm_provider: "groq" }, ["groq", "https://api.groq.com/openai/v1", "y", "GROQ_API_KEY"]],
    ["Together", { model: "together_ai/a/b" }, ["together", "https://api.together.xyz/v1", "a/b", "TOGETHER_API_KEY"]],
    [
      "a bare name at Fireworks",
      { model: "fireworks_ai/m1" },
      ["fireworks", "https://api.fireworks.ai/inference/v1", "accounts/fireworks/models/m1", "FIREWORKS_API_KEY"],
    ],
    [
      "a full name at Fireworks",
      { model: "fireworks_ai/accounts/acme/models/m1" },
      ["fireworks", "https://api.fireworks.ai/inference/v1", "accounts/acme/models/m1", "FIREWORKS_API_KEY"],
    ],
    ["a server of the format", { model: "openai/x", api_base: "https://llm.example/v1/" }, ["llm.example", "https://llm.example/v1", "x"]],
    [
      "an address that goes too far",
      { model: "openai/x", api_base: "https://llm.example/v1/chat/completions" },
      ["llm.example", "https://llm.example/v1", "x"],
    ],
    ["no provider but an address", { model: "x", base_url: "https://llm.example/v1" }, ["llm.example", "https://llm.example/v1", "x"]],
    ["an address from the environment", { model: "openai/x", api_base: "os.environ/LLM_URL" }, ["llm-url", "${LLM_URL}", "x"]],
    ["vLLM without an address", { model: "hosted_vllm/x" }, ["vllm", "${HOSTED_VLLM_API_BASE}", "x"]],
    ["Ollama", { model: "ollama/x" }, ["ollama", "http://localhost:11434/v1", "x"]],
    ["Ollama elsewhere", { model: "ollama_chat/x:7b", api_base: "http://10.0.0.9:11434/" }, ["ollama", "http://10.0.0.9:11434/v1", "x:7b"]],
    ["all addresses of this machine", { model: "openai/x", api_base: "http://0.0.0.0:4000" }, ["local", "http://127.0.0.1:4000", "x"]],
    [
      "Azure",
      {
        model: "azure/dep",
        api_base: "https://acme.openai.azure.com/openai/deployments/dep?api-version=1",
        api_version: "1",
        api_key: key,
      },
      ["azure", "https://acme.openai.azure.com/openai/v1", "dep", "K"],
    ],
    ["Azure from the environment", { model: "azure/gpt5_series/dep" }, ["azure", "${AZURE_API_BASE}/openai/v1", "dep", "AZURE_API_KEY"]],
    [
      "Foundry",
      { model: "azure_ai/grok-3", api_base: "https://acme.services.ai.azure.com/models", api_key: key },
      ["azure", "https://acme.services.ai.azure.com/openai/v1", "grok-3", "K"],
    ],
    [
      "Anthropic's format elsewhere",
      { model: "anthropic/claude-x", api_base: "https://llm.example/v1/messages", api_key: key },
      ["llm.example", "https://llm.example/v1", "claude-x", "K"],
    ],
    [
      "Gemini",
      { model: "gemini/gemini-2.5-pro" },
      ["gemini", "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-pro", "GEMINI_API_KEY"],
    ],
    [
      "Bedrock",
      { model: "bedrock/us-east-1/openai.gpt-oss-20b-1:0" },
      ["bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "openai.gpt-oss-20b-1:0"],
    ],
    [
      "Claude on Bedrock",
      { model: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", aws_region_name: "us-east-1" },
      ["bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
    ],
    [
      "Bedrock in a region from the environment",
      { model: "bedrock/converse/openai.x", aws_region_name: "os.environ/R", api_key: key },
      ["bedrock", "https://bedrock-runtime.${R}.amazonaws.com/openai/v1", "openai.x", "K"],
    ],
  ];
  for (const [name, params, [id, baseUrl, model, variable]] of cases) {
    test(name, () => {
      const { upstream, model: made } = converted(params);
      expect([upstream.id, upstream.base_url, made.routes]).toEqual([id, baseUrl, [{ upstream: id, model }]]);
      expect(upstream.credential).toBe(variable === undefined ? undefined : `\${${variable}}`);
    });
  }

  test("has the provider's own API format and preset", () => {
    const formats: [Params, Partial<DeclaredUpstream>][] = [
      [{ model: "anthropic/claude-x" }, { dialect: "anthropic" }],
      [{ model: "gemini/gemini-x" }, { dialect: "gemini" }],
      [{ model: "groq/x" }, { dialect: "openai" }],
      [{ model: "ollama/x" }, { preset: "ollama" }],
      [{ model: "hosted_vllm/x", api_base: "http://gpu:8000/v1" }, { preset: "vllm" }],
      [{ model: "azure/x" }, { preset: "azure" }],
    ];
    for (const [params, { dialect, preset }] of formats) {
      const { upstream } = converted(params);
      expect([params["model"], upstream.dialect, upstream.preset]).toEqual([params["model"], dialect, preset]);
    }
  });

  test("a provider's secret is not sent to another server", () => {
    const { upstream, whys } = converted({ model: "groq/x", api_base: "https://llm.example/v1" });
    expect(upstream.credential).toBeUndefined();
    expect(whys[0]).toContain("converted without a credential");
    expect(converted({ model: "groq/x", api_base: "https://api.groq.com/openai/v1" }).upstream.credential).toBe("${GROQ_API_KEY}");
  });

  test("allow_private is set for private base URLs", () => {
    for (const host of [
      "http://localhost:1",
      "http://llm.example",
      "https://10.0.0.1",
      "https://[::1]:8",
      "https://gpu",
      "https://a.internal",
      "https://a.local",
    ]) {
      expect([host, isPrivate(host)]).toEqual([host, true]);
    }
    for (const host of ["https://llm.example", "https://8.8.8.8", "https://internal.example"]) {
      expect([host, isPrivate(host)]).toEqual([host, false]);
    }
  });

  test("http:// with a name that may be public is reported", () => {
    const doubts = ["http://llm.example", "http://gpu.internal", "http://10.0.0.1"].map(
      (host) => converted({ model: "openai/x", api_base: `${host}/v1` }).whys.filter((why) => why.includes("needs https://")).length,
    );
    expect(doubts).toEqual([1, 0, 0]);
  });

  test("invalid aliases are listed", () => {
    const { whys } = converted({ model: "groq/x" }, undefined, { router_settings: { model_group_alias: ["m"] } });
    expect(whys).toContain("router_settings.model_group_alias: it has no names in it");
  });

  test("a named credential is used, unless the deployment sets its own", () => {
    const credential_list = [
      { credential_name: "c", credential_values: { api_key: "os.environ/C", api_base: "https://c.example/v1", region: "x" } },
    ];
    const { upstream, whys } = converted({ model: "openai/x", litellm_credential_name: "c", api_key: "os.environ/OWN" }, undefined, {
      credential_list,
    });
    expect([upstream.base_url, upstream.credential]).toEqual(["https://c.example/v1", "${OWN}"]);
    expect(whys).toContain("credential_list[0].credential_values.region: no equivalent in Tollgate");
  });
});

describe("a deployment that cannot be converted has a reason", () => {
  const cases: [string, Params | string | undefined, RegExp, unknown?][] = [
    ["no parameters", undefined, /no litellm_params/],
    ["parameters that are a word", "x", /no litellm_params/],
    ["no model", {}, /have no model/],
    ["a provider and no model", { model: "openai/" }, /no name after/],
    ["a wildcard", { model: "openai/*" }, /not both wildcards/],
    ["a model from the environment", { model: "os.environ/MODEL" }, /comes from the environment/],
    ["a model that would be filled in", { model: "openai/${HOME}" }, /would expand as a variable/],
    ["a name that is nobody's", { model: "mystery" }, /has no provider/],
    [
      "a provider that is not known",
      { model: "replicate/meta/llama" },
      /no OpenAI-compatible base URL is known for the provider "replicate"/,
    ],
    ["a provider by a name that every object has", { model: "constructor/x" }, /for the provider "constructor"/],
    ["Vertex AI elsewhere", { model: "vertex_ai/gemini-2.5-pro", api_base: "https://llm.example" }, /not Vertex AI's own/],
    ["a location from the environment", { model: "gemini-2.5-pro", vertex_location: "os.environ/L" }, /vertex_location comes from the env/],
    ["another model of Vertex AI", { model: "vertex_ai/1234567890" }, /gemini-…, claude-… and publisher\/model/],
    ["half of an access key", { model: "bedrock/openai.x", aws_access_key_id: "os.environ/A" }, /its aws_secret_access_key is required/],
    ["a role that is none", { model: "bedrock/openai.x", aws_role_name: "gateway" }, /its aws_role_name must be the ARN of a role/],
    ["a session without a role", { model: "bedrock/openai.x", aws_session_name: "litellm" }, /^its aws_session_name needs aws_role_name$/],
    [
      "an endpoint of another region",
      {
        model: "bedrock/openai.x",
        aws_region_name: "us-east-1",
        aws_bedrock_runtime_endpoint: "https://bedrock-runtime.eu-west-1.amazonaws.com",
      },
      /is in the region eu-west-1, and its aws_region_name is us-east-1/,
    ],
    ["a person at Entra ID", { model: "azure/x", azure_username: "u", azure_password: "p" }, /as a person/],
    ["a reference to an access token", { model: "azure/x", azure_ad_token: "oidc/x" }, /azure_ad_token is a reference/],
    ["an imported model on Bedrock", { model: "bedrock/llama/arn:aws:bedrock:us-east-1:1:imported-model/m" }, /prompt format of its own/],
    [
      "Claude on Azure",
      { model: "azure_ai/claude-opus-4-1", api_base: "https://a.services.ai.azure.com/anthropic" },
      /Anthropic's own format/,
    ],
    ["Azure AI behind another name", { model: "azure_ai/x", api_base: "https://apim.acme.com" }, /NAME\.openai\.azure\.com/],
    ["Entra ID", { model: "azure/x", api_base: "https://a.openai.azure.com", tenant_id: "t", client_secret: "s" }, /Entra ID/],
    ["Gemini's format elsewhere", { model: "gemini/gemini-x", api_base: "https://llm.example" }, /of the dialect gemini by hand/],
    ["the Responses API", { model: "openai/responses/gpt-5" }, /Responses API/],
    ["an address that is none", { model: "openai/x", api_base: "your-api-base" }, /not an http/],
    ["an address of another kind", { model: "openai/x", api_base: ["https://a.example"] }, /not text/],
    ["a user in the address", { model: "openai/x", api_base: "https://u:p@a.example" }, /contains a user/],
    ["a query in the address", { model: "openai/x", api_base: "https://a.example/v1?k=v" }, /must be a bare address/],
    ["a variable within the address", { model: "openai/x", api_base: "https://${HOST}/v1" }, /would expand as a variable/],
    ["the metadata service", { model: "openai/x", api_base: "http://169.254.169.254" }, /is never called/],
    ["a public address in clear text", { model: "openai/x", api_base: "http://8.8.8.8/v1" }, /needs https/],
    ["no address", { model: "openai_like/x" }, /no api_base/],
    ["a secret that is not text", { model: "openai/x", api_key: { a: 1 } }, /api_key is not text/],
    ["an unknown credential", { model: "openai/x", litellm_credential_name: "c" }, /not in the credential_list/],
    ["images", { model: "openai/x" }, /its mode is "image_generation", and Tollgate serves/, { mode: "image_generation" }],
    [
      "embeddings by their name",
      { model: "hosted_vllm/BAAI/bge-m3", api_base: "http://gpu/v1" },
      /set its model_info.mode to chat or embedding/,
    ],
    [
      "rerank by its name",
      { model: "hosted_vllm/BAAI/bge-reranker-v2-m3", api_base: "http://gpu/v1" },
      /it is not named like a chat model/,
    ],
    [
      "embeddings in Anthropic's format",
      { model: "anthropic/vectors" },
      /upstreams of the format anthropic do not serve/,
      { mode: "embedding" },
    ],
    ["a model of the Responses API", { model: "gpt-5-codex" }, /the mode of "gpt-5-codex" is responses in the price data/],
    ["a blocked one", { model: "gpt-4o" }, /it is blocked in LiteLLM/, { blocked: true }],
    ["one of another proxy", { model: "gpt-4o", use_litellm_proxy: true }, /litellm_proxy/],
    ["a mock", { model: "openai/x", mock_response: "hi" }, /mock_response/],
  ];
  for (const [name, params, why, info] of cases) {
    test(name, () => {
      const { models, unsupported } = importOne(params as Params, info);
      expect(models).toBe(0);
      expect(unsupported).toEqual([{ place: "c.yaml:2:5", field: "model_list[0]", why: expect.stringMatching(why) as string }]);
    });
  }
});

describe("prices", () => {
  test("for a token become prices for a million, without the noise of binary fractions", () => {
    expect(priceOf({ input_cost_per_token: 1.5e-7, output_cost_per_token: "6e-07", cache_read_input_token_cost: 0.000000075 })).toEqual({
      input_per_million: 0.15,
      output_per_million: 0.6,
      cached_input_per_million: 0.075,
    });
    expect(priceOf({ input_cost_per_token: 1e-12, output_cost_per_token: 1 })).toEqual({
      input_per_million: 0.000001,
      output_per_million: 1e6,
    });
  });

  test("in the parameters go before those in the information", () => {
    expect(priceOf({ input_cost_per_token: 1e-6 }, { input_cost_per_token: 5e-6, output_cost_per_token: 2e-6 })).toEqual({
      input_per_million: 1,
      output_per_million: 2,
    });
  });

  test("of nothing are free; none at all leaves the default", () => {
    expect(priceOf({ input_cost_per_token: 0, output_cost_per_token: 0 })).toBe("free");
    expect(priceOf({})).toBeUndefined();
  });

  test("of long prompts are tiers, in which what is not said is as below", () => {
    const rates = { input_cost_per_token: 1e-6, output_cost_per_token: 4e-6, cache_read_input_token_cost: 1e-7 };
    const above = {
      input_cost_per_token_above_272k_tokens: 3e-6,
      input_cost_per_token_above_128k_tokens: 2e-6,
      output_cost_per_token_above_128k_tokens: 8e-6,
    };
    expect(priceOf(rates, above)).toMatchObject({
      tiers: [
        { above_input_tokens: 128_000, input_per_million: 2, output_per_million: 8, cached_input_per_million: 0.1 },
        { above_input_tokens: 272_000, input_per_million: 3, output_per_million: 4, cached_input_per_million: 0.1 },
      ],
    });
  });

  test("are not converted if they are invalid or incomplete", () => {
    for (const wrong of [-1e-6, 2, "os.environ/PRICE", "cheap", 1.5e-13, [1], true]) {
      const { model, whys } = converted({ model: "openai/gpt-4o", input_cost_per_token: wrong, output_cost_per_token: 1e-6 });
      expect([wrong, model.price, model.free]).toEqual([wrong, undefined, undefined]);
      expect(whys[0]).toStartWith("model_list[0].litellm_params.input_cost_per_token: a price must be");
      expect(whys[1]).toStartWith("model_list[0].litellm_params.output_cost_per_token: another part");
    }
    expect(converted({ model: "openai/gpt-4o", input_cost_per_token: 1e-6 }).whys[0]).toContain("needs both");
  });

  test("that nobody knows are asked for; a private server is free", () => {
    expect(converted({ model: "openai/x", api_base: "https://llm.example/v1", api_key: "none" }).whys[0]).toContain(
      "converted without a price",
    );
    expect(converted({ model: "openai/x", api_base: "http://10.0.0.1/v1" }).model.free).toBe(true);
    expect(converted({ model: "openai/x", api_base: "http://10.0.0.1/v1", input_cost_per_token: 1 }).model.free).toBeUndefined();
    expect(converted({ model: "azure/gpt-4o", api_key: "os.environ/K" }).whys.join()).not.toContain("price");
  });
});

test("a model that is not named like a chat model is converted if its mode is chat", () => {
  expect(converted({ model: "openai/sora-chat" }, { mode: "chat" }).model.routes[0]!.model).toBe("sora-chat");
});

/** The timeouts for `stream_timeout` and `timeout`. */
function timeouts(stream: number, notStreamed = stream): object {
  return { first_byte_ms: stream * 1000, between_chunks_ms: stream * 1000, non_streamed_ms: notStreamed * 1000 };
}

describe("timeouts and limits", () => {
  test("are in milliseconds, between the chunks of a stream or for another response, and never a total", () => {
    const of = (params: Params, more: object = {}): unknown => converted({ model: "groq/x", ...params }, {}, more).upstream.timeouts;
    const all = { router_settings: { timeout: 60, stream_timeout: 20 }, litellm_settings: { request_timeout: 30 } };
    expect(of({}, all)).toEqual(timeouts(20, 30));
    expect(of({ timeout: 5, stream_timeout: "1.5" }, all)).toEqual(timeouts(1.5, 5));
    expect(of({ timeout: 5 }, { litellm_settings: { request_timeout: 30 } })).toEqual(timeouts(5));
    expect(of({ timeout: 5 }, { router_settings: { timeout: 60 }, litellm_settings: { request_timeout: 30 } })).toEqual(timeouts(30, 5));
    expect(of({ request_timeout: 7 }, { litellm_settings: { request_timeout: 30 } })).toEqual(timeouts(7));
    expect(of({ timeout: 5, request_timeout: 7 })).toEqual(timeouts(5));
    expect(of({ timeout: 5 }, { router_settings: { timeout: 30 } })).toEqual(timeouts(5));
    expect(of({}, { router_settings: { timeout: 60 }, litellm_settings: { request_timeout: 30 } })).toEqual(timeouts(30));
    expect(of({ stream_timeout: 20 })).toEqual({ first_byte_ms: 20_000, between_chunks_ms: 20_000 });
    // A stream that LiteLLM would wait for must not be ended by the default total timeout.
    expect(of({ timeout: 1200 })).toEqual({ ...timeouts(1200), total_ms: 1_200_000 });
    expect(converted({ model: "groq/x" }).upstream.timeouts).toBeUndefined();
  });

  test("are listed if they are invalid", () => {
    const { upstream, model, whys } = converted(
      { model: "groq/x", timeout: 86_401, stream_timeout: "soon" },
      { max_input_tokens: 0, max_output_tokens: 1.5 },
    );
    expect([upstream.timeouts, model.context_window, model.max_output_tokens]).toEqual([undefined, undefined, undefined]);
    expect(whys.filter((why) => /seconds|whole number/.test(why))).toHaveLength(4);
  });

  test("of tokens are the model's", () => {
    const { model, whys } = converted({ model: "groq/x" }, { max_input_tokens: 128_000, max_tokens: 4096 });
    expect([model.context_window, model.max_output_tokens]).toEqual([128_000, undefined]);
    expect(whys).toContainEqual(expect.stringContaining("model_info.max_tokens: LiteLLM shows it, and enforces nothing") as string);
    expect(converted({ model: "groq/x" }, { max_output_tokens: 10, max_tokens: 20 }).model.max_output_tokens).toBe(10);
  });
});

test("every other field is listed, in any section", () => {
  const { whys } = converted(
    { model: "groq/llama-3.1-8b-instant", rpm: 1, temperature: 0, nonsense: 1, gone: null },
    { id: "i", note: "n" },
  );
  expect(whys.map((why) => why.split(":")[0]!)).toEqual([
    "model_list[0].litellm_params.rpm",
    "model_list[0].litellm_params.nonsense",
    "model_list[0].model_info.id",
    "model_list[0].model_info.note",
  ]);
});

test("the API version of Azure is listed, and tpm that is not enforced", () => {
  const { whys } = converted({
    model: "azure/dep",
    api_base: "https://acme.openai.azure.com",
    api_version: "2024-10-21",
    api_key: "os.environ/K",
    tpm: 9,
  });
  expect(whys.slice(1)).toEqual([
    "model_list[0].litellm_params.api_version: Azure's v1 API, which Tollgate uses, has no version",
    expect.stringContaining("litellm_params.tpm: LiteLLM does not enforce it with this routing strategy") as string,
  ]);
});
