import type { PresetId } from "../../models/presets.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";

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

/** What a span says of an upstream. */
export interface UpstreamDescription {
  /** By the conventions where they know the server, else our name for its kind, else the upstream's id. */
  readonly provider?: string;
  readonly address?: string;
  readonly port?: bigint;
}

const UNKNOWN: UpstreamDescription = {};

/** Addresses are taken apart once: changed settings are another object. */
const described = new WeakMap<UpstreamSettings, UpstreamDescription>();

/** Of one that was taken away meanwhile nothing is known. */
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
