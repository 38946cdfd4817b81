import type { BenchRun } from "../bench-run.ts";
import { hasCoreForEach, systemCores } from "../machine/cores.ts";
import { treeRssMib } from "../machine/process-tree.ts";
import { startJsonMock, type JsonMock } from "../mock/json-mock.ts";
import { loadPer, measurePart, ownerPer } from "../protocol/measure-part.ts";
import { figureFrom, partFrom, type Sample } from "../report/samples.ts";
import { sizingTable } from "../report/sizing-table.ts";
import type { Part, Scenario } from "../report/result.ts";
import { isTollgateName, warmAll, withSystems, type Entrant, type System } from "../systems/system.ts";
import { jsonUpstream, jsonWork, JSON_FIGURES, warmUp, watchBilling, type JsonLoad } from "./json-load.ts";
import { SMALL_JSON } from "./s1-small-json.ts";
import { CHUNKS_PER_SECOND, MAX_LATE_MS, STEPS, streamCapacity } from "./stream-capacity.ts";

/** The numbers of processes in the table. */
export const SIZES: readonly number[] = [1, 2, 4];
const ROUNDS = 5;
const REST_MS = 5000;

/** Throughput, concurrent streams and memory by the number of processes. */
export async function sizing(run: BenchRun): Promise<Scenario> {
  const rest: Sample[] = [];
  const throughput = await measureThroughput(run, rest);
  const able = run.systems.filter(({ name }) => rest.some(({ system }) => system === name) && isTollgateName(name));
  const notes: string[] = [];
  const streams = await measureStreams(run, able, notes);
  const memory = partFrom("memory at rest", 1, rest, [figureFrom(rest, "rest", "memory at rest", "MiB")]);
  const parts = [throughput, streams, memory];
  return {
    id: "S14",
    title: "Sizing",
    load: `The small JSON of S1 over ${SMALL_JSON.connections} connections for each process, and streams of ${CHUNKS_PER_SECOND} chunks a second each, raised in steps until more than 1 % of the chunks are more than ${MAX_LATE_MS} ms late. Memory is the sum of the resident memory of all processes, so pages that they share count more than once.`,
    parts,
    notes: [sizingTable(parts, able), ...able.map(aboutCores), ...notes],
  };
}

async function measureThroughput(run: BenchRun, rest: Sample[]): Promise<Part> {
  const mock = await startJsonMock();
  try {
    return await withSystems(
      run.systems,
      jsonUpstream(mock),
      async (entrants) => {
        await Bun.sleep(REST_MS);
        for (const { system, running } of entrants) rest.push({ system: system.name, values: { rest: treeRssMib(running.pid!) } });
        return measureJsonEach(run, entrants, mock);
      },
      run,
    );
  } finally {
    await mock.stop();
  }
}

async function measureJsonEach(run: BenchRun, entrants: readonly Entrant[], mock: JsonMock): Promise<Part> {
  const able = await warmAll(entrants, run, (entrant) => {
    const count = Math.ceil(SMALL_JSON.warmUp * run.scale * (entrant.system.warmUpShare ?? 1));
    return warmUp(entrant, mock, loadOf(entrant.system), count);
  });
  return measurePart(run, {
    name: "small JSON",
    entrants: able,
    mockPid: mock.pid,
    rounds: ROUNDS,
    work: (entrant) => jsonWork(run, loadOf(entrant.system), entrant),
    watch: (entrant) => watchBilling(entrant, mock),
    figures: [...JSON_FIGURES, ownerPer("request"), loadPer("request")],
  });
}

function loadOf({ processes = 1 }: System): JsonLoad {
  return { ...SMALL_JSON, connections: SMALL_JSON.connections * processes };
}

async function measureStreams(run: BenchRun, systems: readonly System[], notes: string[]): Promise<Part> {
  const steps = run.scale < 1 ? STEPS.slice(0, 2) : STEPS;
  const samples: Sample[] = [];
  for (const system of systems) {
    const { streams, rssMib, limit } = await streamCapacity(system, steps, (text) => run.reportProgress(text));
    samples.push({ system: system.name, values: { streams, rssMib } });
    if (limit === "load")
      notes.push(`${system.name}: with more streams the load itself was late, so it may keep up with more than ${streams}.`);
    if (limit === "steps") notes.push(`${system.name}: more than ${streams} streams were not tried.`);
  }
  return partFrom("streams", 1, samples, [
    figureFrom(samples, "streams", "concurrent streams", ""),
    figureFrom(samples, "rssMib", "memory with these streams", "MiB"),
  ]);
}

function aboutCores({ name, processes = 1 }: System): string {
  const cores = `${name}: on cores ${systemCores(processes)} of this machine`;
  return hasCoreForEach(processes)
    ? `${cores}.`
    : `${cores}, which it shares with the load: with more cores its throughput would be higher.`;
}
