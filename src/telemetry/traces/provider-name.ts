import type { PresetId } from "../../vocabulary/presets.ts";
import type { UpstreamSettings } from "../../vocabulary/upstream-settings.ts";

/** The conventions' names for providers, where they have one of their own. */
const WELL_KNOWN: Partial<Record<PresetId, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  azure: "azure.ai.openai",
  "azure-deployments": "azure.ai.openai",
  bedrock: "aws.bedrock",
  mistral: "mistral_ai",
  groq: "groq",
  deepseek: "deepseek",
  xai: "x_ai",
  perplexity: "perplexity",
  moonshot: "moonshot_ai",
};

/** `gen_ai.provider.name`: by the conventions where they know the server, else our name for its kind, else the upstream's id. */
export function providerName(upstream: UpstreamSettings): string {
  const preset = upstream.dialect === "echo" ? undefined : upstream.preset;
  return preset === undefined ? upstream.id : (WELL_KNOWN[preset] ?? preset);
}
