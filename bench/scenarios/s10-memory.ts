import { relays, type BenchRun } from "../bench-run.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import type { Scenario } from "../report/result.ts";
import { RECOVER_MS, REST_MS, weighAlone } from "./weigh.ts";

const LOAD_SECONDS = 120;

export async function memory(run: BenchRun): Promise<Scenario> {
  const seconds = Math.ceil(LOAD_SECONDS * run.scale);
  const samples: Sample[] = [];
  for (const system of relays(run)) {
    samples.push({ system: system.name, values: await weighAlone(system, seconds) });
    run.reportProgress(`memory: ${system.name}`);
  }
  return {
    id: "S10",
    title: "Memory",
    load: `At rest, ${REST_MS / 1000} s after the start; under small JSON over 16 connections and 60 streams at once, for ${seconds} s; and ${RECOVER_MS / 1000} s later.`,
    parts: [
      partFrom("memory", 1, samples, [
        figureFrom(samples, "rest", "memory at rest", "MiB"),
        figureFrom(samples, "load", "memory under load, at most", "MiB"),
        figureFrom(samples, "recovered", "memory afterwards", "MiB"),
        figureFrom(samples, "p99FirstUs", "JSON latency p99, first quarter", "µs"),
        figureFrom(samples, "p99LastUs", "JSON latency p99, last quarter", "µs"),
      ]),
    ],
    notes: ["Whether memory grows is seen in S10b: in so short a time garbage looks like growth."],
  };
}
