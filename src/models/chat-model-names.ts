/** Matches names of models without chat support. Model lists have no other field that distinguishes them. */
const NOT_CHAT = /embed|\bbge-|minilm|whisper|\btts\b|dall-e|moderation|gpt-image|realtime|transcribe|sora|rerank|babbage|davinci/i;

/** Whether a model's name suggests that it supports chat. */
export function soundsLikeChat(model: string): boolean {
  return !NOT_CHAT.test(model);
}
