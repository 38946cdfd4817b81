/** Prints the startup time until the first response, its CPU time, and the memory when idle. Asserts nothing. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LAUNCHER = process.env["LAUNCHER"] ?? join(import.meta.dir, "../bin/tollgate");
const QUESTION = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] });
const STARTS = 20;
const REST_MS = 3000;

interface Start {
  /** Until the first response of the echo model, which needs no upstream. */
  readonly answeredMs: number;
  /** The CPU time of the launcher and all of its processes. */
  readonly cpuMs: number;
  readonly restMb: number;
}

/** The key that the first start prints. */
let key = "";

async function measure(dataFolder: string, restMs: number): Promise<Start> {
  const port = await freePort();
  const begun = performance.now();
  const child = Bun.spawn([LAUNCHER, "start", "--json"], {
    cwd: dataFolder,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: String(port), TOLLGATE_PLATFORM_PORT: "0", TOLLGATE_DATA: dataFolder },
    stdout: "pipe",
  });
  if (key === "") key = await firstKey(child.stdout);
  while (!(await answers(port))) await Bun.sleep(1);
  const answeredMs = performance.now() - begun;
  await Bun.sleep(restMs);
  const restMb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  child.kill();
  await child.exited;
  return { answeredMs, cpuMs: Number(child.resourceUsage()!.cpuTime.total) / 1000, restMb };
}

async function firstKey(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of stdout) {
    text += new TextDecoder().decode(bytes);
    if (text.endsWith("\n")) break;
  }
  return (JSON.parse(text) as { key: string }).key;
}

async function answers(port: number): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return (await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: "POST", headers, body: QUESTION })).ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const folder = mkdtempSync(join(tmpdir(), "tollgate-measure-"));
const first = await measure(folder, REST_MS);
const later: Start[] = [];
for (let run = 0; run < STARTS; run++) later.push(await measure(folder, 0));
const rested = await measure(folder, REST_MS);
rmSync(folder, { recursive: true });

const times = later.map((start) => start.answeredMs);
process.stdout.write(`from the launcher to the first answer, on a new data folder: ${first.answeredMs.toFixed(0)} ms
on an existing one, ${STARTS} starts: median ${median(times).toFixed(0)} ms, from ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms
CPU of a start, and of its end: median ${median(later.map((start) => start.cpuMs)).toFixed(0)} ms
memory at rest, ${REST_MS / 1000} s after the first answer: ${rested.restMb.toFixed(0)} MB
`);
