import type { ParameterPolicy } from "./parameters.ts";

/** Servers that many people use: where they are, what their credential is called, and in what they part from the format. */
export interface Preset {
  /** For people. */
  readonly name: string;
  readonly dialect: "openai" | "anthropic" | "gemini";
  /** Undefined where every customer has an address of their own. */
  readonly baseUrl?: string;
  /** The environment variable that its credential usually has. */
  readonly variable?: string;
  /** Whether it runs beside us: at its usual address, without a credential, and without a bill. */
  readonly isLocal?: boolean;
  readonly quirks?: Quirks;
}

/** What a server of the chat-completions format does in its own way. */
export interface Quirks {
  /** The header that carries the credential, where that is not `Authorization: Bearer`. */
  readonly credentialHeader?: "api-key";
  /** Where completions are made, below the base address, where that is not `/chat/completions`. `{model}` is its name for the model. */
  readonly completionsPath?: string;
  /** What it calls the limit on an answer, where the caller has not called it anything. */
  readonly maxTokens?: "max_tokens" | "max_completion_tokens";
  /** Whether it refuses `stream_options`, and counts tokens unasked. */
  readonly countsUnasked?: boolean;
  /** Parameters that it refuses, or knows by another name. */
  readonly parameters?: ParameterPolicy;
  /** Fields of messages that it refuses. */
  readonly droppedInMessages?: readonly string[];
  /** Whether text in parts must be made one string for it. */
  readonly textInOnePiece?: boolean;
  /** Whether it refuses ids of tool calls that are not nine letters and digits. */
  readonly shortToolIds?: boolean;
}

export const PRESETS = {
  openai: {
    name: "OpenAI",
    dialect: "openai",
    baseUrl: "https://api.openai.com/v1",
    variable: "OPENAI_API_KEY",
    quirks: { maxTokens: "max_completion_tokens" },
  },
  anthropic: { name: "Anthropic", dialect: "anthropic", baseUrl: "https://api.anthropic.com/v1", variable: "ANTHROPIC_API_KEY" },
  gemini: {
    name: "Google Gemini",
    dialect: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    variable: "GEMINI_API_KEY",
  },
  mistral: { name: "Mistral", dialect: "openai", baseUrl: "https://api.mistral.ai/v1", variable: "MISTRAL_API_KEY" },
  groq: { name: "Groq", dialect: "openai", baseUrl: "https://api.groq.com/openai/v1", variable: "GROQ_API_KEY" },
  deepseek: { name: "DeepSeek", dialect: "openai", baseUrl: "https://api.deepseek.com/v1", variable: "DEEPSEEK_API_KEY" },
  xai: { name: "xAI", dialect: "openai", baseUrl: "https://api.x.ai/v1", variable: "XAI_API_KEY" },
  together: { name: "Together", dialect: "openai", baseUrl: "https://api.together.xyz/v1", variable: "TOGETHER_API_KEY" },
  fireworks: { name: "Fireworks", dialect: "openai", baseUrl: "https://api.fireworks.ai/inference/v1", variable: "FIREWORKS_API_KEY" },
  openrouter: { name: "OpenRouter", dialect: "openai", baseUrl: "https://openrouter.ai/api/v1", variable: "OPENROUTER_API_KEY" },
  ollama: { name: "Ollama", dialect: "openai", baseUrl: "http://127.0.0.1:11434/v1", isLocal: true },
  "lm-studio": { name: "LM Studio", dialect: "openai", baseUrl: "http://127.0.0.1:1234/v1", isLocal: true },
  vllm: { name: "vLLM", dialect: "openai", baseUrl: "http://127.0.0.1:8000/v1", isLocal: true },
  "llama-cpp": { name: "llama.cpp", dialect: "openai", baseUrl: "http://127.0.0.1:8080/v1", isLocal: true },
} as const satisfies Record<string, Preset>;

export type PresetId = keyof typeof PRESETS;

export const PRESET_IDS = Object.keys(PRESETS) as PresetId[];

export function presetOf(id: PresetId): Preset {
  return PRESETS[id];
}

/** The preset whose address this is: whoever writes down a well-known address means that server, and its quirks. */
export function presetAt(baseUrl: string, dialect: Preset["dialect"]): PresetId | undefined {
  const host = URL.parse(baseUrl)?.host;
  return PRESET_IDS.find((id) => {
    const preset = presetOf(id);
    return preset.dialect === dialect && !preset.isLocal && preset.baseUrl !== undefined && new URL(preset.baseUrl).host === host;
  });
}

/** Where the credentials of providers usually are. */
export const CREDENTIAL_VARIABLES = PRESET_IDS.flatMap((id) => presetOf(id).variable ?? []);
