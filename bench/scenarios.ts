import type { BenchRun } from "./bench-run.ts";
import type { Scenario } from "./report/result.ts";
import { peersJson } from "./scenarios/p1-peers-json.ts";
import { peersStreams } from "./scenarios/p2-peers-streams.ts";
import { overspend } from "./scenarios/p3-overspend.ts";
import { latency } from "./scenarios/p4-latency.ts";
import { smallJson } from "./scenarios/s1-small-json.ts";
import { addedLatency } from "./scenarios/s2-added-latency.ts";
import { largePrompts } from "./scenarios/s3-large-prompts.ts";
import { constantRate } from "./scenarios/s4-constant-rate.ts";
import { streams } from "./scenarios/s5-streams.ts";
import { bursts } from "./scenarios/s5b-bursts.ts";
import { firstToken } from "./scenarios/s6-first-token.ts";
import { idleStreams } from "./scenarios/s7-idle-streams.ts";
import { slowReaders } from "./scenarios/s8-slow-readers.ts";
import { coldStart } from "./scenarios/s9-cold-start.ts";
import { memory } from "./scenarios/s10-memory.ts";
import { halfAnHour } from "./scenarios/s10b-half-an-hour.ts";
import { modelList } from "./scenarios/s11-model-list.ts";
import { tlsUpstream } from "./scenarios/s12-tls-upstream.ts";
import { faults } from "./scenarios/s13-faults.ts";
import { sizing } from "./scenarios/s14-sizing.ts";

export const SCENARIOS: Readonly<Record<string, (run: BenchRun) => Promise<Scenario>>> = {
  S1: smallJson,
  S2: addedLatency,
  S3: largePrompts,
  S4: constantRate,
  S5: streams,
  S5b: bursts,
  S6: firstToken,
  S7: idleStreams,
  S8: slowReaders,
  S9: coldStart,
  S10: memory,
  S10b: halfAnHour,
  S11: modelList,
  S12: tlsUpstream,
  S13: faults,
  S14: sizing,
  P1: peersJson,
  P2: peersStreams,
  P3: overspend,
  P4: latency,
};

/** The comparison with all peers. */
export const WITH_PEERS = Object.keys(SCENARIOS).filter((id) => id.startsWith("P"));

/** Tollgate alone, with several processes. */
export const SIZING = "S14";

/** Everything else, except for S10b, which takes as long as all of these. */
export const USUAL = Object.keys(SCENARIOS).filter((id) => id !== "S10b" && id !== SIZING && !WITH_PEERS.includes(id));
