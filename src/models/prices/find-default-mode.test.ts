import { describe, expect, test } from "bun:test";
import type { ModelMode } from "./default-prices.ts";
import { findDefaultMode } from "./find-default-prices.ts";

const OPENAI = "https://api.openai.com/v1";
const AZURE = "https://acme.openai.azure.com/openai/v1";
const GOOGLE = "https://generativelanguage.googleapis.com/v1beta";
const BEDROCK = "https://bedrock-runtime.eu-central-1.amazonaws.com";

describe("the mode of a model", () => {
  const cases: [baseUrl: string, model: string, mode: ModelMode | undefined][] = [
    [OPENAI, "gpt-4o", "chat"],
    [OPENAI, "gpt-5", "chat"],
    [OPENAI, "gpt-5-2025-08-07", "chat"],
    // These models have the prices of gpt-5 and gpt-5.1, but another API.
    [OPENAI, "gpt-5-codex", "responses"],
    [OPENAI, "gpt-5.1-codex-max", "responses"],
    [OPENAI, "o1-pro-2025-03-19", "responses"],
    [OPENAI, "o3", "chat"],
    [OPENAI, "gpt-3.5-turbo", "chat"],
    [OPENAI, "gpt-3.5-turbo-instruct", "completion"],
    [OPENAI, "text-embedding-3-small", "embedding"],
    [OPENAI, "gpt-4o-audio-preview", "chat"],
    [OPENAI, "gpt-4o-mini-transcribe", "audio_transcription"],
    [OPENAI, "gpt-live-transcribe", "audio_transcription"],
    [OPENAI, "tts-1-hd", "audio_speech"],
    [OPENAI, "dall-e-3", "image_generation"],
    [OPENAI, "sora-2-pro", "video_generation"],
    [OPENAI, "gpt-realtime", "realtime"],
    [OPENAI, "omni-moderation-latest", "moderation"],
    [OPENAI, "nobody-knows-it", undefined],
    [AZURE, "gpt-5-codex", "responses"],
    [AZURE, "gpt-4o", "chat"],
    [AZURE, "babbage-002", "completion"],
    [AZURE, "cohere-rerank-v4.0-pro", "rerank"],
    [GOOGLE, "gemini-2.5-flash", "chat"],
    [GOOGLE, "gemini-2.5-flash-image", "image_generation"],
    [GOOGLE, "veo-3.1-generate-preview", "video_generation"],
    [GOOGLE, "gemini-embedding-001", "embedding"],
    [BEDROCK, "anthropic.claude-sonnet-4-5-20250929-v1:0", "chat"],
    [BEDROCK, "eu.amazon.nova-canvas-v1:0", "image_generation"],
    [BEDROCK, "cohere.rerank-v3-5:0", "rerank"],
    ["https://api.mistral.ai/v1", "mistral-ocr-latest", "ocr"],
    ["https://api.groq.com/openai/v1", "whisper-large-v3", "audio_transcription"],
    ["https://api.cloudflare.com/client/v4/accounts/0123456789abcdef/ai/v1", "@cf/baai/bge-m3", "embedding"],
    ["https://api.cloudflare.com/client/v4/accounts/0123456789abcdef/ai/v1", "@cf/baai/bge-reranker-base", "rerank"],
    [AZURE, "curie", "completion"],
    ["https://api.voyageai.com/v1", "voyage-3-large", "embedding"],
    ["https://llm.example/v1", "gpt-4o", undefined],
  ];
  for (const [baseUrl, model, mode] of cases) {
    test(`${model} at ${new URL(baseUrl).hostname}: ${mode ?? "unknown"}`, () => expect(findDefaultMode(baseUrl, model)).toBe(mode));
  }
});
