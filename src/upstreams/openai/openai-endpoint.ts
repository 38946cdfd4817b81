import type { UpstreamSettings } from "../../vocabulary/upstream-settings.ts";

export type OpenAISettings = Extract<UpstreamSettings, { dialect: "openai" }>;

/** What every request to a server carries: our credential there, and nothing of a caller's. */
export function headersFor({ credential }: OpenAISettings, accept: string): Record<string, string> {
  const headers: Record<string, string> = { accept, "user-agent": "tollgate" };
  if (credential) headers["authorization"] = `Bearer ${credential.reveal()}`;
  return headers;
}
