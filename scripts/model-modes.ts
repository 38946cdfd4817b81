/**
 * The modes of models that do not serve chat completions. @pydantic/genai-prices has prices without a mode: one entry may cover models of
 * several modes (`gpt-5` and `gpt-5-codex` cost the same, but `gpt-5-codex` supports only the Responses API). These names were compared with
 * the modes in the price list of LiteLLM 1.109, not with the providers themselves.
 */
import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";
import type { MatchRule, ModeInFile, ModelMode } from "../src/models/prices/default-prices.ts";

/**
 * By provider and mode: the name of a model, or a prefix of several names, up to a dash. For AWS, a part of the name, because a region
 * precedes it.
 */
const NAMES: Readonly<Record<string, Partial<Record<ModelMode, string>>>> = {
  openai: {
    responses:
      "codex-mini computer-use-preview gpt-5-codex gpt-5-pro gpt-5.1-codex gpt-5.2-codex gpt-5.2-pro gpt-5.3-codex gpt-5.4-pro gpt-5.5-pro gpt-daybreak o1-pro o3-pro o3-deep-research o4-mini-deep-research",
    completion: "babbage curie davinci gpt-3.5-turbo-instruct text-curie text-davinci",
    embedding: "text-embedding",
    image_generation: "chatgpt-image dall-e gpt-image",
    video_generation: "sora",
    audio_speech: "gpt-4o-mini-tts tts",
    audio_transcription: "gpt-4o-mini-transcribe gpt-4o-transcribe gpt-live-transcribe gpt-realtime-whisper gpt-transcribe whisper",
    realtime: "gpt-4o-mini-realtime gpt-4o-realtime gpt-live gpt-realtime",
    moderation: "omni-moderation text-moderation",
  },
  azure: {
    embedding: "cohere-embed embed-v",
    image_generation: "flux flux.1 flux.2",
    ocr: "cohere-parse mistral-document-ai mistral-ocr",
    rerank: "cohere-rerank",
  },
  google: {
    embedding: "embedding gemini-embedding multimodalembedding text-embedding text-multilingual-embedding",
    image_generation:
      "gemini-2.0-flash-exp-image gemini-2.0-flash-preview-image gemini-2.5-flash-image gemini-3-pro-image gemini-3.1-flash-image gemini-3.1-flash-lite-image gemini-nano-banana imagen imagegeneration nano-banana",
    video_generation: "veo",
    audio_speech:
      "gemini-2.5-flash-lite-preview-tts gemini-2.5-flash-preview-tts gemini-2.5-flash-tts gemini-2.5-pro-preview-tts gemini-2.5-pro-tts gemini-3.1-flash-tts gemini-3.8-flash-lite-tts gemini-3.8-flash-tts",
    audio_transcription: "gemini-3.5-transcribe",
    realtime:
      "gemini-2.0-flash-live gemini-2.5-flash-native-audio gemini-2.5-flash-preview-native-audio gemini-3.1-flash-live gemini-3.5-live gemini-3.8-live gemini-live",
  },
  mistral: {
    embedding: "codestral-embed mistral-embed",
    ocr: "mistral-ocr",
    moderation: "mistral-moderation",
    audio_speech: "voxtral-mini-tts",
    audio_transcription: "voxtral-mini-realtime voxtral-mini-transcribe voxtral-small-transcribe",
  },
  cloudflare: { rerank: "@cf/baai/bge-reranker", evaluation: "@cf/huggingface/distilbert-sst-2" },
  groq: { audio_transcription: "distil-whisper whisper", audio_speech: "canopylabs/orpheus playai-tts" },
  "x-ai": {
    responses: "grok-4.20-multi-agent",
    image_generation: "grok-2-image grok-imagine-image",
    video_generation: "grok-imagine-video",
    audio_transcription: "grok-voice-transcribe",
    realtime: "grok-voice",
  },
  aws: {
    embedding: "amazon.nova-2-multimodal-embeddings amazon.titan-embed cohere.embed twelvelabs.marengo-embed",
    image_generation: "amazon.nova-canvas amazon.titan-image stability.sd3 stability.stable",
    video_generation: "amazon.nova-reel luma.ray",
    rerank: "amazon.rerank cohere.rerank",
    realtime: "amazon.nova-2-5-sonic amazon.nova-2-sonic amazon.nova-sonic",
  },
  perplexity: { embedding: "pplx-embed", evaluation: "pplx-decider", responses: "preset/ openai/ anthropic/ google/ xai/" },
  together: {
    embedding: "alibaba-nlp/gte baai/bge intfloat/multilingual togethercomputer/m2-bert whereisai/uae",
    image_generation: "black-forest-labs/ google/flash-image google/imagen stabilityai/",
    video_generation: "google/veo openai/sora",
    audio_speech: "canopylabs/orpheus cartesia/sonic",
    audio_transcription: "openai/whisper",
    rerank: "mixedbread-ai/mxbai-rerank salesforce/llama-rank",
  },
  fireworks: withAccount({
    embedding: "nomic-embed-text qwen3-embedding",
    image_generation: "flux japanese-stable-diffusion playground-v2 ssd stable-diffusion",
    audio_transcription: "fireworks-asr whisper",
    rerank: "qwen3-reranker",
  }),
};

/** Fireworks names its models `accounts/fireworks/models/NAME`. */
function withAccount(modes: Partial<Record<ModelMode, string>>): Partial<Record<ModelMode, string>> {
  return Object.fromEntries(Object.entries(modes).map(([mode, names]) => [mode, names.replaceAll(/\S+/g, "accounts/fireworks/models/$&")]));
}

/** The modes of a provider's models, as far as the names show them. */
export function modesOf(providerId: string): ModeInFile[] {
  const ruleOf = providerId === "aws" ? (name: string): MatchRule => ({ contains: name }) : startRule;
  return Object.entries(NAMES[providerId] ?? {}).map(([mode, names]) => ({
    mode: mode as ModelMode,
    match: { or: names.split(" ").flatMap(ruleOf) },
  }));
}

function startRule(name: string): MatchRule[] {
  return name.endsWith("/") ? [{ starts_with: name }] : [{ equals: name }, { starts_with: `${name}-` }];
}

/** The mode that the units of a price show. Undefined for chat, and if the units do not show the mode. */
export function modeByUnits({ prices }: Pick<ModelInfo, "prices">): ModelMode | undefined {
  const versions = Array.isArray(prices) ? prices.map((version) => version.prices) : [prices];
  const units = new Set(versions.flatMap((version: ModelPrice) => Object.keys(version)));
  if (units.has("output_mtok")) return undefined;
  if (units.has("input_document_kpages")) return "ocr";
  if (units.has("input_text_messages_kcount")) return "realtime";
  if (units.has("input_audio_hours")) return "audio_transcription";
  // Only input is priced if the output is not text: vectors, or a ranking.
  return units.has("input_mtok") ? "embedding" : undefined;
}
