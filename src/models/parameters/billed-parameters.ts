import type { ParameterPolicy } from "./parameter-policy.ts";

/** A parameter that selects another model, a longer output or a higher cost for a request without the gateway's knowledge. */
export interface BilledParameter {
  /** The servers that read it, for display. */
  readonly servers: string;
  readonly changes: "model" | "prompt" | "output length" | "response size" | "bill";
  /** `refuse` if the difference would not be charged; `pass` if every token is counted and within the limit that was set. */
  readonly handling: "refuse" | "pass";
  /** Its effect. */
  readonly effect: string;
  /** The parameter to use instead, if there is one. */
  readonly instead?: string;
  /** The field of a price that sells it. */
  readonly soldBy?: "multipliers";
  /** The server's own source or documentation. */
  readonly source: string;
}

const LLAMA_CPP = "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-schema.cpp";
const OLLAMA = "https://github.com/ollama/ollama/blob/main/openai/openai.go";
const VLLM = "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/chat_completion/protocol.py";
const SGLANG = "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/protocol.py";
const OPENROUTER = "https://openrouter.ai/docs/api-reference/overview";
const OPENAI = "https://platform.openai.com/docs/api-reference/chat/create";
const QWEN = "https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference";

/**
 * These parameters apply to every server with the OpenAI format, whatever its preset: a URL says little about the server behind it. A
 * preset's rule takes precedence, and the operator's policy takes precedence over both.
 */
export const BILLED_PARAMETERS: Readonly<Record<string, BilledParameter>> = {
  n_predict: {
    servers: "llama.cpp",
    changes: "output length",
    handling: "refuse",
    effect: "overrides `max_tokens`",
    instead: "max_tokens",
    source: LLAMA_CPP,
  },
  n_cmpl: { servers: "llama.cpp", changes: "output length", handling: "refuse", effect: "overrides `n`", instead: "n", source: LLAMA_CPP },
  max_new_tokens: {
    servers: "Hugging Face servers",
    changes: "output length",
    handling: "refuse",
    effect: "another name for `max_tokens`",
    instead: "max_tokens",
    source: "https://huggingface.co/docs/transformers/main_classes/text_generation",
  },
  max_output_tokens: {
    servers: "NanoGPT",
    changes: "output length",
    handling: "refuse",
    effect: "another name for `max_tokens`",
    instead: "max_tokens",
    source: "https://docs.nano-gpt.com/api-reference/miscellaneous/model-presets",
  },
  options: {
    servers: "Ollama's own API, and servers that pass on to it",
    changes: "output length",
    handling: "refuse",
    effect: "`options.num_predict` overrides `max_tokens`; Ollama's OpenAI endpoint ignores it",
    instead: "max_tokens",
    source: OLLAMA,
  },
  best_of: {
    servers: "vLLM",
    changes: "bill",
    handling: "refuse",
    effect: "generates further choices that are not returned",
    instead: "n",
    source: VLLM,
  },
  use_beam_search: {
    servers: "vLLM",
    changes: "bill",
    handling: "refuse",
    effect: "generates beams that are not returned",
    source: VLLM,
  },
  min_tokens: {
    servers: "vLLM, SGLang",
    changes: "output length",
    handling: "pass",
    effect: "a longer response within `max_tokens`; its tokens are counted",
    source: VLLM,
  },
  ignore_eos: {
    servers: "vLLM, SGLang, llama.cpp",
    changes: "output length",
    handling: "pass",
    effect: "a response as long as `max_tokens`; its tokens are counted",
    source: VLLM,
  },
  n_probs: {
    servers: "llama.cpp",
    changes: "response size",
    handling: "refuse",
    effect: "as many alternatives to each token as the vocabulary has: 4.7 MB for one token of SmolLM2",
    instead: "top_logprobs",
    source: LLAMA_CPP,
  },
  echo: {
    servers: "vLLM, llama.cpp",
    changes: "response size",
    handling: "refuse",
    effect: "repeats the last message in the response, so that its token counts cannot be checked",
    source: VLLM,
  },
  lora: { servers: "llama.cpp", changes: "model", handling: "refuse", effect: "applies other adapters to the model", source: LLAMA_CPP },
  lora_path: { servers: "SGLang", changes: "model", handling: "refuse", effect: "applies another adapter to the model", source: SGLANG },
  input_ids: { servers: "SGLang", changes: "prompt", handling: "refuse", effect: "replaces `messages`", source: SGLANG },
  prompt: { servers: "OpenRouter", changes: "prompt", handling: "refuse", effect: "replaces `messages`", source: OPENROUTER },
  models: { servers: "OpenRouter", changes: "model", handling: "refuse", effect: "fallback models", source: OPENROUTER },
  route: { servers: "OpenRouter", changes: "model", handling: "refuse", effect: "falls back to other models", source: OPENROUTER },
  preset: {
    servers: "OpenRouter",
    changes: "model",
    handling: "refuse",
    effect: "a stored configuration with a model of its own",
    source: "https://openrouter.ai/docs/features/presets",
  },
  provider: {
    servers: "OpenRouter",
    changes: "bill",
    handling: "refuse",
    effect: "chooses a provider with a price of its own",
    source: "https://openrouter.ai/docs/features/provider-routing",
  },
  plugins: {
    servers: "OpenRouter",
    changes: "bill",
    handling: "refuse",
    effect: "web search and file parsing, which are billed separately",
    source: "https://openrouter.ai/docs/features/web-search",
  },
  service_tier: {
    servers: "OpenAI, Azure, Groq, OpenRouter",
    changes: "bill",
    handling: "refuse",
    effect: "`flex` and `priority` have prices of their own; `auto` and `default` are dropped",
    soldBy: "multipliers",
    source: OPENAI,
  },
  web_search_options: {
    servers: "OpenAI, Perplexity, OpenRouter",
    changes: "bill",
    handling: "refuse",
    effect: "a fee for each search",
    source: OPENAI,
  },
  audio: { servers: "OpenAI", changes: "bill", handling: "refuse", effect: "audio output, whose tokens cost more", source: OPENAI },
  modalities: {
    servers: "OpenAI, OpenRouter",
    changes: "bill",
    handling: "refuse",
    effect: "audio or image output, whose tokens cost more; `text` alone is dropped",
    source: OPENAI,
  },
  search_parameters: {
    servers: "xAI",
    changes: "bill",
    handling: "refuse",
    effect: "a fee for each source of a search",
    source: "https://docs.x.ai/docs/guides/live-search",
  },
  enable_search: { servers: "Qwen", changes: "bill", handling: "refuse", effect: "a fee for each search", source: QWEN },
  search_options: { servers: "Qwen", changes: "bill", handling: "refuse", effect: "search settings, for a fee", source: QWEN },
  enable_code_interpreter: { servers: "Qwen", changes: "bill", handling: "refuse", effect: "runs code, for a fee", source: QWEN },
  data_sources: {
    servers: "Azure",
    changes: "prompt",
    handling: "refuse",
    effect: "adds documents to the prompt",
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/references/on-your-data",
  },
  extra_body: {
    servers: "Gemini and Vertex AI in the OpenAI format",
    changes: "bill",
    handling: "refuse",
    effect: "contents that the operator has paid to cache, and thinking budgets",
    source: "https://ai.google.dev/gemini-api/docs/openai",
  },
};

/** The handling of each billed parameter. */
export const BILLED_PARAMETER_RULES: ParameterPolicy = Object.fromEntries(
  Object.entries(BILLED_PARAMETERS).map(([name, { handling }]) => [name, handling]),
);
