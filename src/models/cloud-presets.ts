import { BEDROCK_RUNTIME_HOST } from "./identities/aws-partitions.ts";
import type { Preset } from "./preset.ts";

/**
 * OpenAI's newer models reject `max_tokens`; all of its models support `max_completion_tokens`.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export const ONLY_MAX_COMPLETION_TOKENS = { max_tokens: { rename: "max_completion_tokens" } } as const;

/** https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle. The default is the last dated version except previews. */
const AZURE_DATED_VERSIONS = {
  pattern: /^\d{4}-\d{2}-\d{2}(-preview)?$/,
  patternInWords: "a date, such as 2024-10-21 or 2025-04-01-preview",
  default: "2024-10-21",
} as const;

/** The same page: the v1 API needs no version; with `preview` it has preview features. */
const AZURE_V1_VERSIONS = { pattern: /^(latest|preview)$/, patternInWords: "latest or preview" } as const;

/** Includes the hosts of Azure Government and of Azure in China. */
const AZURE_HOST = String.raw`^[^/]+\.(openai\.azure|services\.ai\.azure|cognitiveservices\.azure)\.(com|us|cn)/openai`;

const VERTEX = "https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}";

/** Regional, global and multi-region hosts, and endpoints of Private Service Connect. */
const VERTEX_HOST = String.raw`^([a-z\d-]+-)?aiplatform(-[a-z\d]+\.p|\.(us|eu)\.rep)?\.googleapis\.com`;

/** The presets of Azure, Amazon Bedrock and Google Vertex AI, whose upstreams may have an identity. */
export const CLOUD_PRESETS = {
  azure: {
    name: "Azure OpenAI",
    dialect: "openai",
    identity: "azure",
    baseUrl: "https://{resource}.openai.azure.com/openai/v1",
    baseUrlPattern: new RegExp(String.raw`${AZURE_HOST}/v1(/|$)`),
    variables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    customerUrl: { variables: ["AZURE_OPENAI_ENDPOINT"], baseUrl: "{}/openai/v1" },
    // Azure lists the models that could be deployed; only deployment names can be called.
    hasNoModelList: true,
    quirks: {
      credentialHeader: "api-key",
      apiVersions: AZURE_V1_VERSIONS,
      maxTokens: "max_completion_tokens",
      // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
      hasResponses: true,
      parameters: ONLY_MAX_COMPLETION_TOKENS,
    },
  },
  "azure-deployments": {
    name: "Azure OpenAI, by deployment",
    dialect: "openai",
    identity: "azure",
    baseUrl: "https://{resource}.openai.azure.com/openai",
    baseUrlPattern: new RegExp(String.raw`${AZURE_HOST}/?$`),
    hasNoModelList: true,
    quirks: {
      credentialHeader: "api-key",
      completionsPath: "/deployments/{model}/chat/completions",
      apiVersions: AZURE_DATED_VERSIONS,
      maxTokens: "max_completion_tokens",
    },
  },
  bedrock: {
    name: "Amazon Bedrock, OpenAI models",
    dialect: "openai",
    identity: "aws",
    baseUrl: "https://bedrock-runtime.{region}.amazonaws.com/openai/v1",
    baseUrlPattern: /^bedrock-runtime\.[a-z\d-]+\.amazonaws\.com\//,
    variables: ["AWS_BEARER_TOKEN_BEDROCK"],
    customerUrl: {
      variables: ["AWS_REGION", "AWS_DEFAULT_REGION"],
      baseUrl: "https://bedrock-runtime.{}.amazonaws.com/openai/v1",
    },
    // https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html documents only this operation.
    hasNoModelList: true,
    testedBy: "credentials",
  },
  "bedrock-converse": {
    name: "Amazon Bedrock, all models (Converse)",
    dialect: "bedrock",
    identity: "aws",
    baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
    baseUrlPattern: new RegExp(String.raw`^${BEDROCK_RUNTIME_HOST}/$`),
  },
  vertex: {
    name: "Google Vertex AI",
    dialect: "openai",
    identity: "google",
    baseUrl: `${VERTEX}/endpoints/openapi`,
    baseUrlPattern: new RegExp(String.raw`${VERTEX_HOST}/.*/endpoints/openapi`),
    hasNoModelList: true,
    testedBy: "credentials",
  },
  "vertex-gemini": {
    name: "Google Vertex AI, Gemini",
    dialect: "gemini",
    identity: "google",
    baseUrl: `${VERTEX}/publishers/google`,
    baseUrlPattern: new RegExp(String.raw`${VERTEX_HOST}/.*/publishers/google/*$`),
    hasNoModelList: true,
    testedBy: "token_count",
  },
  "vertex-claude": {
    name: "Google Vertex AI, Claude",
    dialect: "anthropic",
    identity: "google",
    baseUrl: `${VERTEX}/publishers/anthropic`,
    baseUrlPattern: new RegExp(String.raw`${VERTEX_HOST}/.*/publishers/anthropic/*$`),
    hasNoModelList: true,
    testedBy: "token_count",
    // https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
    quirks: { rawPredictVersion: "vertex-2023-10-16" },
  },
} as const satisfies Record<string, Preset>;
