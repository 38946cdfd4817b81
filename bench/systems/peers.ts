import { bifrost, bifrostLean } from "./bifrost.ts";
import { litellm } from "./litellm.ts";
import { systemOf, type Peer } from "./peer.ts";
import { portkey } from "./portkey.ts";
import type { System, ProgressReporter } from "./system.ts";

const PEERS: readonly Peer[] = [portkey, bifrost, bifrostLean, litellm];

/** Installs the peers with these names, and returns the peers that can run here. */
export function installPeers(names: readonly string[], watcher: ProgressReporter): System[] {
  const systems: System[] = [];
  for (const peer of PEERS.filter(({ name }) => names.includes(name))) {
    watcher.reportProgress(`installing ${peer.name} ${peer.version}, if it is missing`);
    const problem = peer.install();
    if (problem === null) systems.push(systemOf(peer));
    else watcher.skipSystem(`${peer.name}: ${problem}`);
  }
  return systems;
}

export const PEER_NAMES = PEERS.map(({ name }) => name);
