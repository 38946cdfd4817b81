import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** A new key: its ID for the platform, its plaintext for the gateway. */
export interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

/** A reply that has been read completely. */
export interface ReadReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a body to the gateway, with the plaintext key. */
export function callGateway(
  gateway: RunningGateway,
  { key }: CreatedKey,
  body: string,
  headers: Record<string, string> = {},
): Promise<ReadReply> {
  return post(`${gateway.baseUrl}/chat/completions`, body, { authorization: `Bearer ${key}`, ...headers });
}

/** Sends a body to the platform, as the operator, with the ID of the key. */
export function callPlatform(
  gateway: RunningGateway,
  { id }: CreatedKey,
  body: string,
  headers: Record<string, string> = {},
): Promise<ReadReply> {
  const authorization = `Bearer ${gateway.operatorToken}`;
  return post(`${gateway.platformUrl}/api/keys/${id}/chat/completions`, body, { authorization, ...headers });
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<ReadReply> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The text without the values that differ between two replies: request IDs and remaining times. */
export function withoutVolatile(text: string): string {
  return text.replaceAll(/req_[0-9a-f-]{36}/g, "req").replaceAll(/\b\d+(\.\d+)?(?=s\b| seconds?\b)/g, "N");
}
