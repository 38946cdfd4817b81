import type { Provider, Upstream } from "../../../../platform-client/types.ts";

export const API_FORMATS: Record<Upstream["dialect"], string> = {
  openai: "OpenAI-compatible",
  responses: "OpenAI Responses",
  anthropic: "Anthropic-compatible",
  gemini: "Gemini-compatible",
  bedrock: "Bedrock Converse",
  echo: "Built-in echo",
};

/** The name of the provider, or else the API format. */
export function providerOf({ preset, dialect }: Pick<Upstream, "preset" | "dialect">, providers: readonly Provider[] = []): string {
  return providers.find(({ id }) => id === preset)?.name ?? preset ?? API_FORMATS[dialect];
}

/** A credential by its last four characters. */
export function maskedCredential(last4: string | null): string {
  return last4 === null ? "•••• (short)" : `•••• ${last4}`;
}
