import { join } from "node:path";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { spawnListening } from "../support/spawn-listening.ts";
import type { UpstreamCall } from "./truthful-upstream.ts";

/** The running upstream of `truthful-upstream.ts`. */
export interface TruthfulUpstream {
  /** A config file with which a gateway serves all of `MODELS` from this upstream. */
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
