import type { Provider, Upstream } from "../../platform/interface.ts";

export const DIALECTS: Record<Upstream["dialect"], string> = {
  openai: "OpenAI format",
  anthropic: "Anthropic format",
  gemini: "Gemini format",
  echo: "Built-in echo",
};

/** What server it is, or else what it speaks. */
export function providerOf({ preset, dialect }: Pick<Upstream, "preset" | "dialect">, providers: readonly Provider[] = []): string {
  return providers.find(({ id }) => id === preset)?.name ?? preset ?? DIALECTS[dialect];
}

/** A credential as it is told apart: by its end. */
export function markOf(last4: string | null): string {
  return last4 === null ? "•••• (short)" : `•••• ${last4}`;
}
