import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** A reply that has been read completely. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string;
  readonly text: string;
  /** The error code. */
  readonly code: string | undefined;
}

/** A body, sent unchanged: its bytes determine the hold. */
export function chatBody(model: string, more: object = {}): string {
  return JSON.stringify({ model, messages: [{ role: "user", content: "How much is the fish?" }], ...more });
}

/** Sends a body and reads the reply. */
export async function postChat(gateway: RunningGateway, key: string, body: string, signal: AbortSignal | null = null): Promise<Reply> {
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
    signal,
  });
  return replyOf(response);
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const { status, headers } = response;
  const code = status === 200 ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code;
  return { status, headers, requestId: headers.get("x-request-id")!, text, code };
}

/** The chunks of a stream, without its `[DONE]`. */
export function chunksIn(text: string): Record<string, unknown>[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!) as Record<string, unknown>);
}
