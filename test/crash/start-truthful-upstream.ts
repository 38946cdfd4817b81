import { join } from "node:path";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { spawnListening } from "../support/spawn-listening.ts";
import type { UpstreamCall } from "./truthful-upstream.ts";

/** The upstream of `truthful-upstream.ts`, running. */
export interface TruthfulUpstream {
  /** A config file by which a gateway serves all of `MODELS` from here. */
  readonly yaml: string;
  readonly calls: () => Promise<UpstreamCall[]>;
  readonly stop: () => Promise<void>;
}

export const MODELS = ["quick-counted", "quick-tail", "slow-counted", "slow-tail"] as const;

export async function startTruthfulUpstream(): Promise<TruthfulUpstream> {
  const { port, stop } = await spawnListening(join(import.meta.dir, "truthful-upstream.ts"));
  const address = `http://127.0.0.1:${port}`;
  return {
    yaml: configFor(`${address}/v1`, MODELS),
    calls: async () => (await (await fetch(`${address}/calls`)).json()) as UpstreamCall[],
    stop,
  };
}
