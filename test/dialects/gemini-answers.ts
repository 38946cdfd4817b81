/** Responses of `generateContent` in the shapes that Google documents, for tests. */

export const USAGE_METADATA = {
  promptTokenCount: 20,
  toolUsePromptTokenCount: 5,
  cachedContentTokenCount: 8,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 30,
  totalTokenCount: 62,
};

/** The same counts as clients receive them. */
export const USAGE = {
  prompt_tokens: 25,
  completion_tokens: 37,
  total_tokens: 62,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 30 },
};

/** A response, or an event of a stream. */
export function answerOf(parts: readonly object[] | undefined, finishReason?: string, more: object = {}): Record<string, unknown> {
  const candidate = {
    ...(parts && { content: { role: "model", parts } }),
    ...(finishReason !== undefined && { finishReason }),
    index: 0,
  };
  return { candidates: [candidate], modelVersion: "gemini-3.5-flash", responseId: "answer-1", usageMetadata: USAGE_METADATA, ...more };
}

export function errorOf(code: number, status: string, message: string, details: readonly object[] = []): Record<string, unknown> {
  return { error: { code, message, status, details } };
}

export const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7.2s" };

export const KEY_INVALID = errorOf(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
  { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" },
]);

/** The frames of a stream. Google ends its lines with CR and LF. */
export function framesOf(events: readonly unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join("");
}
