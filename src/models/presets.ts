import { CLOUD_PRESETS, ONLY_MAX_COMPLETION_TOKENS } from "./cloud-presets.ts";
import type { Preset, RemoteDialect } from "./preset.ts";

/** For a server that supports only the older name: it would ignore or reject the newer one. */
const ONLY_MAX_TOKENS = { max_completion_tokens: { rename: "max_tokens" } } as const;

/** Each quirk has its source: documentation, or the server's error message. */
export const PRESETS = {
  openai: {
    name: "OpenAI",
    dialect: "openai",
    baseUrl: "https://api.openai.com/v1",
    variables: ["OPENAI_API_KEY"],
    quirks: { maxTokens: "max_completion_tokens", parameters: ONLY_MAX_COMPLETION_TOKENS, hasResponses: true },
  },
  anthropic: { name: "Anthropic", dialect: "anthropic", baseUrl: "https://api.anthropic.com/v1", variables: ["ANTHROPIC_API_KEY"] },
  gemini: {
    name: "Google Gemini",
    dialect: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  },
  ...CLOUD_PRESETS,
  mistral: {
    name: "Mistral",
    dialect: "openai",
    baseUrl: "https://api.mistral.ai/v1",
    variables: ["MISTRAL_API_KEY"],
    quirks: {
      // 422 extra_forbidden for every parameter that is not in https://docs.mistral.ai/api/#tag/chat
      parameters: {
        ...ONLY_MAX_TOKENS,
        seed: { rename: "random_seed" },
        logit_bias: "refuse",
        logprobs: "refuse",
        top_logprobs: "refuse",
        functions: "refuse",
        function_call: "refuse",
        modalities: "drop",
        prompt_cache_retention: "drop",
        safety_identifier: "drop",
        service_tier: "drop",
        store: "drop",
        user: "drop",
        verbosity: "drop",
      },
      // https://github.com/dnakov/anon-kode/issues/53: stream_options is rejected, and the last chunk always has the counts.
      alwaysSendsUsage: true,
      // https://github.com/charmbracelet/crush/issues/1590; only tool messages have `name` there.
      messageFields: { name: ["tool"], reasoning_content: [], refusal: [], annotations: [], audio: [] },
      // Input tag 'developer' does not match any of the expected tags: 'system', 'user', 'assistant', 'tool'
      lacksDeveloperRole: true,
      // Tool call id has to be defined, of length 9: a-z, A-Z, 0-9
      shortToolIds: true,
    },
  },
  groq: {
    name: "Groq",
    dialect: "openai",
    baseUrl: "https://api.groq.com/openai/v1",
    variables: ["GROQ_API_KEY"],
    quirks: {
      maxTokens: "max_completion_tokens",
      // https://console.groq.com/docs/openai, "will result in a 400 error"; `n` may be 1. store: property 'store' is unsupported.
      parameters: { logit_bias: "refuse", logprobs: "refuse", top_logprobs: "refuse", n: "refuse", store: "drop" },
      // The same page; https://github.com/janhq/jan/issues/8136: property 'reasoning_content' is unsupported.
      messageFields: { name: [], reasoning_content: [] },
    },
  },
  deepseek: {
    name: "DeepSeek",
    dialect: "openai",
    baseUrl: "https://api.deepseek.com/v1",
    variables: ["DEEPSEEK_API_KEY"],
    quirks: {
      // https://api-docs.deepseek.com/api/create-chat-completion. It requires reasoning_content back, so nothing is removed.
      parameters: ONLY_MAX_TOKENS,
      // https://github.com/earendil-works/pi/issues/1048: unknown variant `developer`
      lacksDeveloperRole: true,
      // https://github.com/BerriAI/litellm/issues/6642
      needsJoinedText: true,
    },
  },
  xai: {
    name: "xAI",
    dialect: "openai",
    baseUrl: "https://api.x.ai/v1",
    variables: ["XAI_API_KEY"],
    // https://github.com/BerriAI/litellm/issues/9720: only messages of role user can have a name.
    // https://docs.x.ai/docs/api-reference
    quirks: { messageFields: { name: ["user"] }, hasResponses: true },
  },
  together: {
    name: "Together",
    dialect: "openai",
    baseUrl: "https://api.together.xyz/v1",
    baseUrlPattern: /^api\.together\.(xyz|ai)\//,
    variables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY"],
    // https://docs.together.ai/reference/chat-completions-1 documents only max_tokens.
    quirks: { parameters: ONLY_MAX_TOKENS },
  },
  fireworks: {
    name: "Fireworks",
    dialect: "openai",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    variables: ["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"],
  },
  openrouter: { name: "OpenRouter", dialect: "openai", baseUrl: "https://openrouter.ai/api/v1", variables: ["OPENROUTER_API_KEY"] },
  cerebras: {
    name: "Cerebras",
    dialect: "openai",
    baseUrl: "https://api.cerebras.ai/v1",
    variables: ["CEREBRAS_API_KEY"],
    quirks: {
      maxTokens: "max_completion_tokens",
      // https://inference-docs.cerebras.ai/resources/openai, "will result in a 400 error".
      parameters: { frequency_penalty: "refuse", presence_penalty: "refuse", logit_bias: "refuse" },
    },
  },
  perplexity: {
    name: "Perplexity",
    dialect: "openai",
    baseUrl: "https://api.perplexity.ai",
    variables: ["PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"],
    hasNoModelList: true,
    quirks: {
      // https://docs.perplexity.ai/api-reference/chat-completions-post documents none of these.
      parameters: {
        ...ONLY_MAX_TOKENS,
        tools: "refuse",
        tool_choice: "refuse",
        functions: "refuse",
        function_call: "refuse",
        logit_bias: "refuse",
        logprobs: "refuse",
        top_logprobs: "refuse",
        n: "refuse",
        parallel_tool_calls: "drop",
        seed: "drop",
        service_tier: "drop",
      },
      alwaysSendsUsage: true,
      lacksDeveloperRole: true,
    },
  },
  moonshot: {
    name: "Moonshot",
    dialect: "openai",
    baseUrl: "https://api.moonshot.ai/v1",
    baseUrlPattern: /^api\.moonshot\.(ai|cn)\//,
    variables: ["MOONSHOT_API_KEY"],
    quirks: {
      // https://platform.moonshot.ai/docs/guide/migrating-from-openai-to-kimi; its text-only models accept no parts.
      parameters: { functions: "refuse", function_call: "refuse" },
      needsJoinedText: true,
    },
  },
  qwen: {
    name: "Qwen (DashScope)",
    dialect: "openai",
    baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    baseUrlPattern: /^dashscope(-[a-z]+)?\.aliyuncs\.com\/compatible-mode\//,
    variables: ["DASHSCOPE_API_KEY"],
    // https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference: other parameters are ignored.
    quirks: {
      parameters: { ...ONLY_MAX_TOKENS, logit_bias: "drop", user: "drop" },
      needsJoinedText: true,
      // https://www.alibabacloud.com/help/en/model-studio/embedding-interfaces-compatible-with-openai; older models take 25.
      maxEmbeddingInputs: 10,
      lacksEmbeddingTokens: true,
    },
  },
  cohere: {
    name: "Cohere",
    dialect: "openai",
    baseUrl: "https://api.cohere.ai/compatibility/v1",
    baseUrlPattern: /^api\.cohere\.(ai|com)\/compatibility\//,
    hasNoModelList: true,
    quirks: {
      // https://docs.cohere.com/docs/compatibility-api
      parameters: {
        ...ONLY_MAX_TOKENS,
        n: "refuse",
        logit_bias: "refuse",
        top_logprobs: "refuse",
        audio: "refuse",
        prediction: "drop",
        modalities: "drop",
        metadata: "drop",
        parallel_tool_calls: "drop",
        service_tier: "drop",
        store: "drop",
      },
      alwaysSendsUsage: true,
      // https://docs.cohere.com/reference/embed
      maxEmbeddingInputs: 96,
      lacksEmbeddingTokens: true,
      embeddingParameters: { dimensions: "refuse", user: "drop", input_type: "drop", truncate: "drop", images: "drop" },
    },
  },
  ollama: {
    name: "Ollama",
    dialect: "openai",
    baseUrl: "http://127.0.0.1:11434/v1",
    isLocal: true,
    // https://docs.ollama.com/api/openai-compatibility: unsupported fields are ignored.
    quirks: { parameters: { ...ONLY_MAX_TOKENS, logit_bias: "drop", n: "drop" } },
  },
  "lm-studio": {
    name: "LM Studio",
    dialect: "openai",
    baseUrl: "http://127.0.0.1:1234/v1",
    isLocal: true,
    // https://lmstudio.ai/docs/developer/openai-compat/chat-completions documents only max_tokens.
    quirks: { parameters: ONLY_MAX_TOKENS },
  },
  vllm: { name: "vLLM", dialect: "openai", baseUrl: "http://127.0.0.1:8000/v1", isLocal: true },
  "llama-cpp": {
    name: "llama.cpp",
    dialect: "openai",
    baseUrl: "http://127.0.0.1:8080/v1",
    isLocal: true,
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md: with it, the response has the path of the model file and
    // all settings.
    quirks: { parameters: { verbose: "drop" } },
  },
} as const satisfies Record<string, Preset>;

export type PresetId = keyof typeof PRESETS;

export const PRESET_IDS = Object.keys(PRESETS) as PresetId[];

export function presetOf(id: PresetId): Preset {
  return PRESETS[id];
}

/** The base URL of a preset, if it is the same for all customers. */
export function baseUrlOf({ baseUrl }: Preset): string | undefined {
  return baseUrl.includes("{") ? undefined : baseUrl;
}

/** The API formats that an upstream with this preset can have. The first one is the default. */
export function dialectsOf({ dialect, quirks }: Preset): readonly RemoteDialect[] {
  return quirks?.hasResponses ? [dialect, "responses"] : [dialect];
}

/** The preset of a well-known URL. */
export function presetAt(baseUrl: string, dialect: RemoteDialect): PresetId | undefined {
  const url = URL.parse(baseUrl);
  return url ? PRESET_IDS.find((id) => dialectsOf(presetOf(id)).includes(dialect) && isAt(presetOf(id), url)) : undefined;
}

/** Ports are not matched, because any server may use a local port. */
function isAt(preset: Preset, { host, pathname }: URL): boolean {
  if (preset.isLocal) return false;
  return preset.baseUrlPattern ? preset.baseUrlPattern.test(host + pathname) : new URL(preset.baseUrl).host === host;
}

/** The usual environment variables of provider credentials. */
export const CREDENTIAL_VARIABLES = PRESET_IDS.flatMap((id) => presetOf(id).variables ?? []);
