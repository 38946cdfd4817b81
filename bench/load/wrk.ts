import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOAD_CORES } from "../machine/cores.ts";
import { scratchFolder } from "../machine/scratch.ts";
import { startProcess } from "../machine/start-process.ts";
import type { Target } from "../systems/system.ts";

export interface Load {
  readonly method: "GET" | "POST";
  readonly body?: string;
  /** API keys to use in turn, instead of the target's key. */
  readonly keys?: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Responses other than 2xx and 3xx, and failed connections. */
  readonly wrong: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** The CPU time of wrk itself. */
  readonly cpuUs: number;
}

/** Closed-loop load for some seconds: each connection sends the next request after each response. */
export async function runWrk(target: Target, load: Load): Promise<LoadResult> {
  const folder = scratchFolder("wrk");
  const script = join(folder, "load.lua");
  if (load.body !== undefined) writeFileSync(join(folder, "body"), load.body);
  writeFileSync(script, scriptOf(load, target.headers, join(folder, "body")));
  const url = `http://${target.host}:${target.port}${target.path}`;
  const args = ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, "--timeout", "30s", "-s", script, url];
  const child = startProcess(LOAD_CORES, ["wrk", ...args], { stdout: "pipe", stderr: "pipe" });
  const output = await child.stdout.text();
  await child.exited;
  rmSync(folder, { recursive: true });
  const line = output.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`wrk: ${output}${await child.stderr.text()}`);
  return { ...(JSON.parse(line) as Omit<LoadResult, "cpuUs">), cpuUs: Number(child.resourceUsage()!.cpuTime.total) };
}

/**
 * Requests are built in advance. If the script has a function `request`, wrk calls Lua for each request, so the script for a single key has
 * none.
 */
function scriptOf(load: Load, headers: Readonly<Record<string, string>>, bodyFile: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`);
  const body = load.body === undefined ? "" : `wrk.body = io.open(${JSON.stringify(bodyFile)}, "rb"):read("*a")`;
  return `
wrk.method = "${load.method}"
${body}
${lines.join("\n")}
${load.keys ? inTurn(load.keys) : ""}
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"seconds":%f,"wrong":%d,"p50Us":%d,"p99Us":%d}\\n', summary.requests, summary.duration / 1e6,
    e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50), latency:percentile(99)))
end
`;
}

function inTurn(keys: readonly string[]): string {
  return `
local requests, at = {}, 0
function init()
  for _, key in ipairs({ ${keys.map((key) => JSON.stringify(key)).join(", ")} }) do
    wrk.headers["authorization"] = "Bearer " .. key
    table.insert(requests, wrk.format())
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end`;
}
