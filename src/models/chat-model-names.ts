/** Names of models that providers have and that cannot chat. Nothing else in a list of models tells them from the others. */
const NOT_CHAT = /embed|\bbge-|minilm|whisper|\btts\b|dall-e|moderation|gpt-image|realtime|transcribe|sora|rerank|babbage|davinci/i;

/** Whether a model can be for chat, as far as its name tells. */
export function soundsLikeChat(model: string): boolean {
  return !NOT_CHAT.test(model);
}
