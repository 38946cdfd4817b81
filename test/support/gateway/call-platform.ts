import type { RunningGateway } from "./start-gateway.ts";

/** A reply of the platform. */
export interface PlatformReply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** The unparsed body. */
  readonly text: string;
}

/** Calls the platform API as the operator, and returns the reply, even if it is a rejection. */
export async function askPlatform(gateway: RunningGateway, method: string, path: string, body?: object): Promise<PlatformReply> {
  const response = await fetch(`${gateway.platformUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return { status: response.status, text, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {} };
}
