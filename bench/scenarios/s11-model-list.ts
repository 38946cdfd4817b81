import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchRun } from "../bench-run.ts";
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
  const listed = await fetch(`http://127.0.0.1:${gateway.target.port}${PATH}`, { headers: gateway.target.headers });
  const list = await listed.text();
  const file = await serveFile(list);
  const entrants: Entrant[] = [
    { system: nginx, running: file },
    { system: tollgate, running: { ...gateway, target: { ...gateway.target, path: PATH } } },
  ];
  const parts = [await measureList(run, entrants, mock.pid, "the whole list")];
  if (listed.headers.has("etag")) parts.push(await measureList(run, entrants, mock.pid, "not changed since"));
  for (const running of [gateway, file, mock]) await running.stop();
  return {
    id: "S11",
    title: "The list of models",
    load: `GET ${PATH} with ${MODELS} models, ${list.length} bytes, over ${CONNECTIONS} connections. nginx serves the same bytes from a file, and checks no key.`,
    parts,
    notes: [],
  };
}

async function serveFile(text: string): Promise<RunningSystem> {
  const port = await freePort();
  const root = scratchFolder("file");
  mkdirSync(join(root, "v1"), { mode: 0o755 });
  writeFileSync(join(root, PATH), text, { mode: 0o644 });
  const server = `server { listen 127.0.0.1:${port}; root ${root}; default_type application/json; sendfile on; }`;
  const running = await startNginx(SYSTEM_CORE, port, server);
  return { name: "nginx", pid: running.pid, target: targetAt(port, {}, PATH), stop: () => running.stop() };
}

async function measureList(run: BenchRun, entrants: readonly Entrant[], mockPid: number, name: string): Promise<Part> {
  const headers = new Map<string, Record<string, string>>();
  for (const { system, running } of entrants) {
    headers.set(system.name, name === "not changed since" ? await sinceHeaders(running) : {});
    await ask(running, headers.get(system.name)!, WARM_UP_SECONDS);
  }
  return measurePart(run, {
    name,
    entrants,
    mockPid,
    work: ({ system, running }) => ask(running, headers.get(system.name)!, run.seconds),
    figures: [cpuPer("request"), told("perSecond", "requests per second", ""), told("p99Us", "latency p99", "µs")],
  });
}

async function sinceHeaders({ target }: RunningSystem): Promise<Record<string, string>> {
  const response = await fetch(`http://127.0.0.1:${target.port}${target.path}`, { headers: target.headers });
  await response.body?.cancel();
  return { "if-none-match": response.headers.get("etag")! };
}

async function ask({ target }: RunningSystem, headers: Record<string, string>, seconds: number): Promise<Work> {
  const made = await runWrk(target, { method: "GET", headers, connections: CONNECTIONS, seconds });
  return {
    units: made.requests,
    wrong: made.wrong,
    cpuUs: made.cpuUs,
    figures: { perSecond: made.requests / made.seconds, p99Us: made.p99Us },
  };
}
