import type { PresetId } from "../../models/presets.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";

/** The conventions' names of well-known providers. */
const WELL_KNOWN: Partial<Record<PresetId, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  "vertex-gemini": "gcp.vertex_ai",
  "vertex-claude": "gcp.vertex_ai",
  azure: "azure.ai.openai",
  "azure-deployments": "azure.ai.openai",
  bedrock: "aws.bedrock",
  "bedrock-converse": "aws.bedrock",
  mistral: "mistral_ai",
  groq: "groq",
  deepseek: "deepseek",
  xai: "x_ai",
  perplexity: "perplexity",
  moonshot: "moonshot_ai",
};

/** The span attributes of an upstream. */
export interface UpstreamDescription {
  /** The conventions' name if they know the server, otherwise the preset, otherwise the upstream's id. */
  readonly provider?: string;
  readonly address?: string;
  readonly port?: bigint;
}

const UNKNOWN: UpstreamDescription = {};

/** URLs are parsed once: changed settings are another object. */
const described = new WeakMap<UpstreamSettings, UpstreamDescription>();

/** Empty for an upstream that was removed meanwhile. */
export function describeUpstream(upstream: UpstreamSettings | undefined): UpstreamDescription {
  if (!upstream) return UNKNOWN;
  const description = described.get(upstream) ?? describe(upstream);
  described.set(upstream, description);
  return description;
}

function describe(upstream: UpstreamSettings): UpstreamDescription {
  if (upstream.dialect === "echo") return { provider: upstream.id };
  const { preset, id, baseUrl } = upstream;
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    provider: preset === undefined ? id : (WELL_KNOWN[preset] ?? preset),
    address: hostname,
    port: BigInt(port || (protocol === "https:" ? 443 : 80)),
  };
}
