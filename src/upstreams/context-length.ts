import type { UpstreamError } from "./upstream-error.ts";

/** Codes and types: OpenAI, Azure, Groq and Cerebras; llama.cpp; Perplexity. */
const KINDS = /\b(?:context_length_exceeded|exceed_context_size_error|too_many_prompt_tokens)\b/;

/**
 * Messages of servers without such a code. context-length.test.ts has each server's message with its source, and similar messages about
 * something else: `max_tokens` alone, or a token rate limit.
 */
const MESSAGES: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang, Fireworks, Mistral
  /maximum context length/i,
  // Anthropic, Fireworks, SGLang, Ollama
  /prompt (?:is )?too long/i,
  // llama.cpp, Anthropic, OpenAI
  /\bexceeds? (?:the |this )?(?:available |max(?:imum)? |model(?:'s)? )?context (?:size|length|limit|window)/i,
  // Together, SGLang, Ollama, LM Studio, llama.cpp
  /\b(?:longer|larger|greater) than the (?:model's |max(?:imum)? )?context (?:size|length|window)/i,
  // llama.cpp while it generates
  /\bcontext (?:size|length|window) (?:has been )?exceeded/i,
  // LM Studio
  /loaded with context length of only \d/i,
  // vLLM
  /longer than the maximum model length/i,
  // SGLang
  /\binput length \(\d+ tokens\) exceeds the maximum allowed length/i,
  // Text Generation Inference, which Together runs too
  /`inputs` tokens \+ `max_new_tokens` must be <=|`inputs` must have less than \d+ tokens/,
  // xAI
  /maximum prompt length is \d/i,
  // Gemini, Vertex
  /token count[^.]{0,40}exceeds the maximum number of tokens/i,
  // Bedrock
  /input is too long for requested model|number of input tokens exceeds maximum length/i,
  // Groq, Cerebras
  /reduce the length of the messages/i,
  // Moonshot
  /exceeded model token limit|model max length exceeded/i,
  // Qwen
  /range of input length should be \[/i,
  // OpenAI, with an input limit below the context
  /input tokens exceed the configured limit/i,
];

/** Whether an error reports that the prompt, or prompt plus output, exceeds the model's context window. */
export function exceedsContext({ kind, message }: UpstreamError): boolean {
  return KINDS.test(kind) || MESSAGES.some((words) => words.test(message));
}
