/** `npm run bench`: compares the speed of this gateway with other gateways. README.md describes the method and the options. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { BenchRun } from "./bench-run.ts";
import { passGate } from "./gate/gate.ts";
import { GateFailure } from "./gate/must.ts";
import { aboutMachine, commitNow, toolVersions } from "./machine/about.ts";
import { coresMissing, pinThisProcess } from "./machine/cores.ts";
import { raiseFileLimit } from "./machine/file-limit.ts";
import { toolsMissing } from "./machine/tools.ts";
import type { Result } from "./report/result.ts";
import { BENCH, keepResult } from "./report/results-folder.ts";
import { textTables } from "./report/text-tables.ts";
import { writeResults } from "./report/write-results.ts";
import { SCENARIOS, SIZING, USUAL, WITH_PEERS } from "./scenarios.ts";
import { SIZES } from "./scenarios/s14-sizing.ts";
import { direct } from "./systems/direct.ts";
import { nginx } from "./systems/nginx.ts";
import { installPeers, PEER_NAMES } from "./systems/peers.ts";
import type { System } from "./systems/system.ts";
import { tollgate, tollgateWith } from "./systems/tollgate.ts";

/** With fewer rounds or fewer seconds, a run is a trial. */
const ROUNDS = 9;
const SECONDS = 3;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    peers: { type: "boolean", default: false },
    systems: { type: "string" },
    rounds: { type: "string", default: String(ROUNDS) },
    seconds: { type: "string", default: String(SECONDS) },
    quick: { type: "boolean", default: false },
    noise: { type: "boolean", default: false },
    out: { type: "string" },
    "write-only": { type: "boolean", default: false },
  },
});

function end(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

function reportProgress(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

function positive(name: "rounds" | "seconds"): number {
  const value = Number(options[name]);
  return value > 0 && Number.isInteger(value) ? value : end(`--${name} is a whole number above 0, not ${options[name]}.`);
}

const chosen = options.only?.split(",") ?? (options.peers ? WITH_PEERS : USUAL);
const unknown = chosen.filter((id) => !(id in SCENARIOS));
if (unknown.length > 0) end(`There is no ${unknown.join(" and no ")}: there are ${Object.keys(SCENARIOS).join(", ")}.`);

const withPeers = chosen.filter((id) => WITH_PEERS.includes(id));

/** The usual scenarios are compared only with Portkey: with all peers they would take hours. */
function wantedPeers(): readonly string[] {
  if (chosen.every((id) => id === SIZING)) return [];
  return options.systems?.split(",") ?? (withPeers.length > 0 ? PEER_NAMES : ["portkey"]);
}

const several = tollgateWith(2);

/** The systems of a scenario: peers are compared with one and with two processes of Tollgate. */
function systemsOf(id: string, peers: readonly System[]): readonly System[] {
  if (id === SIZING) return [nginx, ...SIZES.map(tollgateWith)];
  const both = WITH_PEERS.includes(id) && isWanted(several) ? [tollgate, several] : [tollgate];
  return [...(isWanted(direct) ? [direct] : []), nginx, ...both, ...peers];
}

function isWanted({ name }: System): boolean {
  return options.systems?.split(",").includes(name) ?? true;
}

async function bench(): Promise<void> {
  const leftOut: string[] = [];
  function skipSystem(line: string): void {
    leftOut.push(line.replaceAll(/\s+/g, " "));
    reportProgress(`left out: ${leftOut.at(-1)}`);
  }
  const peers = installPeers(wantedPeers(), { reportProgress, skipSystem });
  const { noise, quick } = options;
  const run: Omit<BenchRun, "systems"> = {
    rounds: positive("rounds"),
    seconds: positive("seconds"),
    scale: quick ? 0.1 : 1,
    noise,
    reportProgress,
    skipSystem,
  };
  // The results of a comparison with peers may be noisy, and are marked as noisy.
  const isNoisy = noise && withPeers.length < chosen.length;
  const isTrial = quick || isNoisy || run.rounds < ROUNDS || run.seconds < SECONDS || options.systems !== undefined;
  const base = options.out ? resolve(options.out) : isTrial ? null : BENCH;
  if (isTrial && base === resolve(BENCH))
    end("This would be a trial, and its results are not written over real ones: name another folder.");
  const [machine, commit, gate] = [aboutMachine(), commitNow(), await passGate(reportProgress)];
  for (const id of chosen) {
    const systems = systemsOf(id, peers);
    const versions = { ...Object.fromEntries(systems.map(({ name, version }) => [name, version])), ...toolVersions() };
    const settings = Object.fromEntries(systems.flatMap(({ name, settings: text }) => (text ? [[name, text]] : [])));
    const scenario = await SCENARIOS[id]!({ ...run, systems });
    process.stdout.write(textTables(scenario));
    const result: Result = { ...scenario, date: new Date().toISOString(), commit, machine, versions, settings, leftOut, gate };
    if (base === null) continue;
    keepResult(result, base);
    writeResults(base);
  }
  if (base === null) reportProgress("This was a trial: nothing is written. --out FOLDER keeps its results there.");
}

if (options["write-only"]) {
  writeResults(options.out ?? BENCH);
} else {
  const missing = coresMissing() ?? toolsMissing();
  if (missing !== null) end(missing);
  pinThisProcess();
  raiseFileLimit();
  await bench().catch((error: unknown) => {
    if (error instanceof GateFailure) end(`The gate is closed, so there are no figures: ${error.message}`);
    throw error;
  });
}
