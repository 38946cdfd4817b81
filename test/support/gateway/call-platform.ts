import type { RunningGateway } from "./start-gateway.ts";

/** What the platform answered. */
export interface PlatformReply {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** The body as it came. */
  readonly text: string;
}

/** Calls the platform API as the operator, and gives the answer whether or not it is a refusal. */
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
