import { baseUrlOf, PRESET_IDS, presetOf, type PresetId } from "../../../../models/presets.ts";

/** A provider with an OpenAI-compatible API. */
export interface Provider {
  /** The ID of its upstream. */
  readonly id: string;
  /** The preset, if the base URL does not imply it. */
  readonly preset?: PresetId;
  /** Its base URL. Self-hosted software has none. */
  readonly baseUrl?: string;
  /** LiteLLM's variable for the base URL, if it is not in the file. */
  readonly baseUrlVariable?: string;
  /** LiteLLM's variable for the secret, if it is not in the file. */
  readonly secretVariable?: string;
  /** Whether most servers have no secret: then tollgate.yaml does not refer to a variable that need not be set. */
  readonly needsNoSecret?: true;
}

const OUR_OWN = Object.fromEntries(
  PRESET_IDS.flatMap((id): [string, Provider][] => {
    const preset = presetOf(id);
    const baseUrl = baseUrlOf(preset);
    const secretVariable = preset.variables?.[0];
    return preset.dialect === "openai" && baseUrl && secretVariable ? [[id, { id, baseUrl, secretVariable }]] : [];
  }),
);

/** The base URLs and variables are the same as LiteLLM's. */
const OPENAI_FORMAT: Readonly<Record<string, Provider | undefined>> = {
  ...OUR_OWN,
  together_ai: OUR_OWN["together"],
  fireworks_ai: OUR_OWN["fireworks"],
  codestral: { id: "codestral", baseUrl: "https://codestral.mistral.ai/v1", secretVariable: "CODESTRAL_API_KEY" },
  dashscope: OUR_OWN["qwen"],
  deepinfra: { id: "deepinfra", baseUrl: "https://api.deepinfra.com/v1/openai", secretVariable: "DEEPINFRA_API_KEY" },
  featherless_ai: { id: "featherless", baseUrl: "https://api.featherless.ai/v1", secretVariable: "FEATHERLESS_AI_API_KEY" },
  friendliai: { id: "friendli", baseUrl: "https://api.friendli.ai/serverless/v1", secretVariable: "FRIENDLI_TOKEN" },
  github: { id: "github", baseUrl: "https://models.inference.ai.azure.com", secretVariable: "GITHUB_API_KEY" },
  hyperbolic: { id: "hyperbolic", baseUrl: "https://api.hyperbolic.xyz/v1", secretVariable: "HYPERBOLIC_API_KEY" },
  lambda_ai: { id: "lambda", baseUrl: "https://api.lambda.ai/v1", secretVariable: "LAMBDA_API_KEY" },
  meta_llama: { id: "meta-llama", baseUrl: "https://api.llama.com/compat/v1", secretVariable: "LLAMA_API_KEY" },
  nebius: { id: "nebius", baseUrl: "https://api.studio.nebius.ai/v1", secretVariable: "NEBIUS_API_KEY" },
  nscale: { id: "nscale", baseUrl: "https://inference.api.nscale.com/v1", secretVariable: "NSCALE_API_KEY" },
  nvidia_nim: { id: "nvidia", baseUrl: "https://integrate.api.nvidia.com/v1", secretVariable: "NVIDIA_NIM_API_KEY" },
  perplexity: { id: "perplexity", baseUrl: "https://api.perplexity.ai", secretVariable: "PERPLEXITYAI_API_KEY" },
  sambanova: { id: "sambanova", baseUrl: "https://api.sambanova.ai/v1", secretVariable: "SAMBANOVA_API_KEY" },
  vercel_ai_gateway: { id: "vercel", baseUrl: "https://ai-gateway.vercel.sh/v1", secretVariable: "VERCEL_AI_GATEWAY_API_KEY" },
  volcengine: { id: "volcengine", baseUrl: "https://ark.cn-beijing.volces.com/api/v3", secretVariable: "VOLCENGINE_API_KEY" },
  // Self-hosted software.
  custom_openai: { id: "custom", secretVariable: "OPENAI_API_KEY", needsNoSecret: true },
  hosted_vllm: {
    id: "vllm",
    preset: "vllm",
    baseUrlVariable: "HOSTED_VLLM_API_BASE",
    secretVariable: "HOSTED_VLLM_API_KEY",
    needsNoSecret: true,
  },
  litellm_proxy: { id: "litellm", baseUrlVariable: "LITELLM_PROXY_API_BASE", secretVariable: "LITELLM_PROXY_API_KEY" },
  llamafile: { id: "llamafile", baseUrl: "http://127.0.0.1:8080/v1", secretVariable: "LLAMAFILE_API_KEY", needsNoSecret: true },
  lm_studio: {
    id: "lm-studio",
    preset: "lm-studio",
    baseUrlVariable: "LM_STUDIO_API_BASE",
    secretVariable: "LM_STUDIO_API_KEY",
    needsNoSecret: true,
  },
  openai_like: { id: "custom", secretVariable: "OPENAI_LIKE_API_KEY", needsNoSecret: true },
  xinference: {
    id: "xinference",
    baseUrlVariable: "XINFERENCE_API_BASE",
    secretVariable: "XINFERENCE_API_KEY",
    needsNoSecret: true,
  },
};

export function findProvider(name: string): Provider | undefined {
  return Object.hasOwn(OPENAI_FORMAT, name) ? OPENAI_FORMAT[name] : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  cohere: "Cohere's OpenAI-compatible endpoint rejects stream_options, so that its streams may have no token counts",
  cohere_chat: "Cohere's OpenAI-compatible endpoint rejects stream_options, so that its streams may have no token counts",
  "text-completion-openai": "it is for text completions, and Tollgate serves chat",
  azure_text: "it is for text completions, and Tollgate serves chat",
};

/** Why the models of this provider cannot be converted. */
export function reasonAgainstProvider(name: string, shown: string): string {
  if (Object.hasOwn(REASONS, name)) return REASONS[name]!;
  return `no OpenAI-compatible base URL is known for the provider ${shown}; if it has one, declare it as an upstream by hand`;
}
