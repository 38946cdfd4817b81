import type { ModelKind } from "./catalog.ts";

/** Matches names of models for other purposes. Model lists have no other field that distinguishes them. */
const OTHER = /whisper|\btts\b|dall-e|moderation|gpt-image|realtime|transcribe|sora|rerank|babbage|davinci/i;

const EMBEDDING = /embed|\bbge-|minilm/i;

/** The kind that a model's name suggests; undefined if it sounds like a model that Tollgate does not serve. */
export function kindByName(model: string): ModelKind | undefined {
  if (OTHER.test(model)) return undefined;
  return EMBEDDING.test(model) ? "embedding" : "chat";
}
