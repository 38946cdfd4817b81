import { join } from "node:path";
import { spawnListening } from "../support/spawn-listening.ts";
import type { StreamStats } from "./stream-upstream.ts";

/** The running upstream of `stream-upstream.ts`. */
export interface StreamUpstream {
  readonly baseUrl: string;
  readonly port: number;
  readonly stats: () => Promise<StreamStats>;
  /** Releases the end of every stream that is currently held. */
  readonly release: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function startStreamUpstream(): Promise<StreamUpstream> {
  const { port, stop } = await spawnListening(join(import.meta.dir, "stream-upstream.ts"));
  const address = `http://127.0.0.1:${port}`;
  return {
    baseUrl: `${address}/v1`,
    port,
    stats: async () => (await (await fetch(`${address}/stats`)).json()) as StreamStats,
    release: async () => void (await fetch(`${address}/release`, { method: "POST" })),
    stop,
  };
}
