/**
 * Prints the startup time until the first response, its CPU time, and the memory when idle: of the clone and of the single executable, in
 * turn. Arguments name other launchers. Asserts nothing.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = join(import.meta.dir, "..");
const LAUNCHERS = process.argv.length > 2 ? process.argv.slice(2) : ["bin/tollgate", "dist/executable/tollgate"];
const QUESTION = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] });
const STARTS = 20;
const REST_MS = 3000;

interface Start {
  /** Milliseconds until the first response of the echo model, which needs no upstream. */
  readonly answeredMs: number;
  /** The CPU time of the launcher and all of its processes. */
  readonly cpuMs: number;
  readonly restMb: number;
}

/** Starts one launcher again and again, on one data folder. */
class Measurement {
  readonly launcher: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "tollgate-measure-"));
  /** The key that the first start prints. */
  #key = "";

  constructor(launcher: string) {
    this.launcher = launcher;
  }

  async start(restMs: number): Promise<Start> {
    const port = await freePort();
    const begun = performance.now();
    const child = Bun.spawn([resolve(ROOT, this.launcher), "start", "--json"], {
      cwd: this.#folder,
      env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: String(port), TOLLGATE_PLATFORM_PORT: "0", TOLLGATE_DATA: this.#folder },
      stdout: "pipe",
    });
    if (this.#key === "") this.#key = await firstKey(child.stdout);
    while (!(await answers(port, this.#key))) await Bun.sleep(1);
    const answeredMs = performance.now() - begun;
    await Bun.sleep(restMs);
    const restMb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
    child.kill();
    await child.exited;
    return { answeredMs, cpuMs: Number(child.resourceUsage()!.cpuTime.total) / 1000, restMb };
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

async function firstKey(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of stdout) {
    text += new TextDecoder().decode(bytes);
    if (text.endsWith("\n")) break;
  }
  return (JSON.parse(text) as { key: string }).key;
}

async function answers(port: number, key: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return (await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: "POST", headers, body: QUESTION })).ok;
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function report(launcher: string, first: Start, later: readonly Start[], rested: Start): string {
  const times = later.map((start) => start.answeredMs);
  return `${launcher}
  from the launcher to the first answer, on a new data folder: ${first.answeredMs.toFixed(0)} ms
  on an existing one, ${STARTS} starts: median ${median(times).toFixed(0)} ms, from ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms
  CPU of a start, and of its end: median ${median(later.map((start) => start.cpuMs)).toFixed(0)} ms
  memory at rest, ${REST_MS / 1000} s after the first answer: ${rested.restMb.toFixed(0)} MB
`;
}

const measurements = LAUNCHERS.map((launcher) => new Measurement(launcher));
const firsts: Start[] = [];
const laters: Start[][] = measurements.map(() => []);
for (const each of measurements) firsts.push(await each.start(REST_MS));
// Launchers alternate, so that other load on the machine affects all of them.
for (let run = 0; run < STARTS; run++) for (const [at, each] of measurements.entries()) laters[at]!.push(await each.start(0));
for (const [at, each] of measurements.entries()) {
  process.stdout.write(report(each.launcher, firsts[at]!, laters[at]!, await each.start(REST_MS)));
  each.close();
}
