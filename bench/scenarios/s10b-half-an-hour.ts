import type { BenchRun } from "../bench-run.ts";
import { figureFrom, partFrom } from "../report/samples.ts";
import type { Scenario } from "../report/result.ts";
import { tollgate } from "../systems/tollgate.ts";
import { weighAlone } from "./weigh.ts";

const MINUTES = 30;

/** Measures memory growth, of Tollgate only. */
export async function halfAnHour(run: BenchRun): Promise<Scenario> {
  const seconds = Math.ceil(MINUTES * 60 * run.scale);
  const samples = [{ system: tollgate.name, values: await weighAlone(tollgate, seconds) }];
  return {
    id: "S10b",
    title: "Memory over half an hour",
    load: `The load of S10 on Tollgate alone, for ${seconds / 60} minutes.`,
    parts: [
      partFrom("memory", 1, samples, [
        figureFrom(samples, "firstThird", "memory at most, first third", "MiB"),
        figureFrom(samples, "secondThird", "second third", "MiB"),
        figureFrom(samples, "lastThird", "last third", "MiB"),
        figureFrom(samples, "growth", "growth in the second half", "MiB/min"),
        figureFrom(samples, "p99FirstUs", "JSON latency p99, first quarter", "µs"),
        figureFrom(samples, "p99LastUs", "JSON latency p99, last quarter", "µs"),
      ]),
    ],
    notes: [],
  };
}
