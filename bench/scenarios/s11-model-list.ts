import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchRun } from "../bench-run.ts";
import { must } from "../gate/must.ts";
import { SYSTEM_CORE } from "../machine/cores.ts";
import { freePort } from "../machine/free-port.ts";
import { startNginx } from "../machine/nginx.ts";
import { scratchFolder } from "../machine/scratch.ts";
import { runWrk } from "../load/wrk.ts";
import { startJsonMock } from "../mock/json-mock.ts";
import { cpuPer, measurePart, told } from "../protocol/measure-part.ts";
import type { Work } from "../protocol/visit.ts";
import type { Part, Scenario } from "../report/result.ts";
import { nginx } from "../systems/nginx.ts";
import { targetAt, type Entrant, type RunningSystem } from "../systems/system.ts";
import { tollgate } from "../systems/tollgate.ts";

const MODELS = 300;
const CONNECTIONS = 16;
const WARM_UP_SECONDS = 5;
const PATH = "/v1/models";

export async function modelList(run: BenchRun): Promise<Scenario> {
  const mock = await startJsonMock();
  const models = Object.fromEntries(Array.from({ length: MODELS }, (_, at) => [`some-model-of-ours-${at}`, `upstream-model-${at}`]));
  const gateway = await tollgate.start({ upstream: mock.upstream, models });
  const ours = { ...gateway, target: { ...gateway.target, path: PATH } };
  const list = await listAt(ours);
  const file = await serveFile(list);
  const entrants: Entrant[] = [
    { system: nginx, running: file },
    { system: tollgate, running: ours },
  ];
  const part = await measureList(run, entrants, mock.pid);
  for (const { running } of entrants) must((await listAt(running)) === list, `${running.name} has come to another list`);
  for (const running of [gateway, file, mock]) await running.stop();
  return {
    id: "S11",
    title: "The list of models",
    load: `GET ${PATH} with ${MODELS} models, ${list.length} bytes, over ${CONNECTIONS} connections. nginx serves the same bytes from a file, and checks no key.`,
    parts: [part],
    notes: ["There is no `ETag`, so nobody is told that a list has not changed."],
  };
}

async function serveFile(text: string): Promise<RunningSystem> {
  const port = await freePort();
  const root = scratchFolder("file");
  mkdirSync(join(root, "v1"), { mode: 0o755 });
  writeFileSync(join(root, PATH), text, { mode: 0o644 });
  const server = `server { listen 127.0.0.1:${port}; root ${root}; default_type application/json; sendfile on; open_file_cache max=10; }`;
  const running = await startNginx(SYSTEM_CORE, port, server);
  return { name: "nginx", pid: running.pid, target: targetAt(port, {}, PATH), stop: () => running.stop() };
}

async function measureList(run: BenchRun, entrants: readonly Entrant[], mockPid: number): Promise<Part> {
  for (const { running } of entrants) await ask(running, WARM_UP_SECONDS);
  return measurePart(run, {
    name: "the whole list",
    entrants,
    mockPid,
    work: ({ running }) => ask(running, run.seconds),
    figures: [cpuPer("request"), told("perSecond", "requests per second", ""), told("p99Us", "latency p99", "µs")],
  });
}

async function listAt({ target }: RunningSystem): Promise<string> {
  return (await fetch(`http://127.0.0.1:${target.port}${target.path}`, { headers: target.headers })).text();
}

async function ask({ target }: RunningSystem, seconds: number): Promise<Work> {
  const made = await runWrk(target, { method: "GET", connections: CONNECTIONS, seconds });
  return {
    units: made.requests,
    wrong: made.wrong,
    cpuUs: made.cpuUs,
    figures: { perSecond: made.requests / made.seconds, p99Us: made.p99Us },
  };
}
