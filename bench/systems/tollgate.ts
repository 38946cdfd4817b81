import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCores } from "../machine/cores.ts";
import { freePort } from "../machine/free-port.ts";
import { treeOf } from "../machine/process-tree.ts";
import { scratchFolder } from "../machine/scratch.ts";
import { endNow, startProcess } from "../machine/start-process.ts";
import { ROOT } from "../../test/support/gateway/start-gateway.ts";
import {
  isTollgateName,
  targetAt,
  TOLLGATE,
  USUAL_PRICE,
  type Price,
  type RunningSystem,
  type System,
  type Upstream,
  type SystemRequirements,
} from "./system.ts";

/** The credential of the upstream: no client may ever see it. */
export const CREDENTIAL = "sk-bench-provider-credential";

/** Far above the load of the benchmarks, so that limits are counted and never reached. */
const LIMITS = { requests_per_minute: 1_000_000_000, tokens_per_minute: 1_000_000_000 };

/**
 * The default durability: a charge survives `kill -9`, but not every loss of power. docs/storage.md has the cost of stronger durability.
 */
const DURABILITY = "process";

const VERSION = `${(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version}, TOLLGATE_DURABILITY=${DURABILITY}`;

export interface RunningTollgate extends RunningSystem {
  readonly pid: number;
  readonly folder: string;
  readonly platformPort: number;
  /** Calls the platform API as the operator, and returns the body of the response. Throws if the call is rejected. */
  platform<T>(method: string, path: string, body?: object): Promise<T>;
  /** The metrics, in the format of Prometheus. */
  metrics(): Promise<string>;
  makeKey(more?: object): Promise<{ id: string; key: string }>;
  /** Simulates a crash with `kill -9`. The data folder stays. */
  crash(): Promise<void>;
}

export interface TollgateOptions {
  /** The data folder of a stopped gateway, to continue with its data. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Tollgate extends System {
  start(wanted: SystemRequirements, options?: TollgateOptions): Promise<RunningTollgate>;
}

const EVERYTHING =
  "Everything on: a key with limits, priced models, holds on credit, durable charges in SQLite, metrics, the request log without prompts and responses, a log file.";

/** This checkout, started by the launcher that users run, with all features on and this many processes that serve clients. */
export function tollgateWith(processes: number): Tollgate {
  return {
    name: nameOf(processes),
    version: VERSION,
    settings:
      processes === 1 ? EVERYTHING : `\`--processes ${processes}\`: an owner process and ${processes} gateway processes. ${EVERYTHING}`,
    renames: true,
    processes,
    warmUpShare: processes,
    start: (wanted, options = {}) => startTollgate(wanted, options, processes),
    startWithBudget: (wanted, dollars) => startWithBudget(wanted, dollars, processes),
  };
}

export const tollgate = tollgateWith(1);

function nameOf(processes: number): string {
  return processes === 1 ? TOLLGATE : `${TOLLGATE}-${processes}`;
}

async function startWithBudget(wanted: SystemRequirements, dollars: number, processes: number): Promise<RunningTollgate> {
  const running = await startTollgate(wanted, {}, processes);
  await running.platform("POST", "/api/accounts", { id: "budgeted", name: "Budgeted" });
  await running.platform("POST", "/api/accounts/budgeted/grants", { amount: String(dollars), reference: "budget", reason: "bench" });
  const { key } = await running.makeKey({ account: "budgeted" });
  return { ...running, target: targetAt(running.target.port, { authorization: `Bearer ${key}` }) };
}

async function startTollgate(
  wanted: SystemRequirements,
  { folder: kept, env }: TollgateOptions,
  processes: number,
): Promise<RunningTollgate> {
  const folder = kept ?? scratchFolder(TOLLGATE);
  writeFileSync(join(folder, "tollgate.yaml"), configOf(wanted), { mode: 0o600 });
  const trust = wanted.upstream.authority && { NODE_EXTRA_CA_CERTS: wanted.upstream.authority };
  const child = spawnTollgate(folder, { ...trust, ...env, ...(processes > 1 && { TOLLGATE_PORT: String(await freePort()) }) }, processes);
  async function end(signal: NodeJS.Signals): Promise<void> {
    const tree = treeOf(child.pid);
    child.kill(signal);
    await child.exited;
    // Gateway processes may outlive their owner process. No process of a measurement may run during the next one.
    tree.forEach(endNow);
  }
  try {
    const running = await controlOf(folder, child, end);
    if (processes === 1) return running;
    await untilStarted(child, processes);
    return { ...running, name: nameOf(processes), ownerPid: child.pid };
  } catch (error) {
    await end("SIGKILL");
    throw error;
  }
}

/** Checks the number of processes: a version that ignores an unknown option must not be measured as if it had applied it. */
async function untilStarted(child: Bun.Subprocess, processes: number): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && child.exitCode === null; await Bun.sleep(10)) {
    if (treeOf(child.pid).length > processes) return;
  }
  throw new Error(`it was started with --processes ${processes}, and has ${treeOf(child.pid).length - 1} gateway processes`);
}

async function controlOf(folder: string, child: Bun.Subprocess, end: (signal: NodeJS.Signals) => Promise<void>): Promise<RunningTollgate> {
  const greeting = await greetingIn(folder, child);
  const platform = platformOf(folder, greeting.platform_url);
  const makeKey = (more: object = {}): Promise<{ id: string; key: string }> =>
    platform.json("POST", "/api/keys", { name: "bench", models: ["*"], limits: LIMITS, ...more });
  await platform.json("POST", "/api/accounts/default/grants", { amount: "100000", reference: "bench", reason: "bench" });
  const { key } = await makeKey();
  return {
    name: TOLLGATE,
    pid: child.pid,
    folder,
    platformPort: Number(new URL(greeting.platform_url).port),
    target: targetAt(Number(new URL(greeting.base_url).port), { authorization: `Bearer ${key}` }),
    platform: platform.json,
    metrics: async () => (await platform.ask("GET", "/metrics")).text(),
    makeKey,
    crash: () => end("SIGKILL"),
    async stop() {
      await end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function isTollgate(running: RunningSystem): running is RunningTollgate {
  return isTollgateName(running.name);
}

/** The log goes to a file, as it does under most supervisors. */
export function spawnTollgate(folder: string, env: Readonly<Record<string, string>> = {}, processes = 1): Bun.Subprocess {
  const log = openSync(join(folder, "tollgate.log"), "w");
  const command = [join(ROOT, "bin", "tollgate"), "start", "--json", ...(processes > 1 ? ["--processes", String(processes)] : [])];
  const child = startProcess(systemCores(processes), command, {
    cwd: folder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", TOLLGATE_DURABILITY: DURABILITY, ...env },
    stdout: log,
    stderr: log,
  });
  closeSync(log);
  return child;
}

interface Greeting {
  readonly base_url: string;
  readonly platform_url: string;
}

/** A busy machine may take long to start it. */
const START_TIMEOUT_MS = 60_000;

async function greetingIn(folder: string, child: Bun.Subprocess): Promise<Greeting> {
  const said = (): string => readFileSync(join(folder, "tollgate.log"), "utf8");
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline && child.exitCode === null; await Bun.sleep(10)) {
    const lines = said().split("\n").slice(0, -1);
    const greeting = lines.find((line) => line.startsWith('{"base_url"'));
    if (greeting !== undefined) return JSON.parse(greeting) as Greeting;
  }
  throw new Error(`Tollgate did not start: ${said()}`);
}

function platformOf(folder: string, url: string) {
  const token = readFileSync(join(folder, "data", "operator-token"), "utf8").trim();
  const ask = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  async function json<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await ask(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }
  return { ask, json };
}

/** Every model has a price, so that every request holds credit, is charged and has a receipt. */
function configOf({ upstream, models, beside, price = USUAL_PRICE }: SystemRequirements): string {
  return `upstreams:
${upstreamLine("mock", upstream)}${beside ? upstreamLine("beside", beside.upstream) : ""}models:
${modelLines("mock", models, price)}${beside ? modelLines("beside", beside.models, price) : ""}`;
}

function upstreamLine(id: string, { url, authority }: Upstream): string {
  const address = authority ? url.replace("127.0.0.1", "localhost") : url;
  return `  - { id: ${id}, dialect: openai, base_url: "${address}", allow_private: true, credential: ${CREDENTIAL} }\n`;
}

function modelLines(upstream: string, models: Readonly<Record<string, string>>, { input, output }: Price): string {
  const price = `{ input_per_million: ${input}, output_per_million: ${output}, cached_input_per_million: ${input / 2} }`;
  return Object.entries(models)
    .map(([id, own]) => `  - { id: "${id}", routes: [{ upstream: ${upstream}, model: "${own}" }], price: ${price} }\n`)
    .join("");
}
