/** Runs one test file in its own process, and reports its output. */
import { Glob } from "bun";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

/** Longer than the time limit of any single test (`test/support/wait-limit.ts`): only a hanging runner reaches it. */
const FILE_LIMIT_MS = 30 * 60_000;

export interface TestResult {
  readonly file: string;
  readonly isPassed: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** The complete output. */
  readonly log: string;
}

/** The test files of a suite: `*.full.test.ts`, or all. The runner's own tests pass another folder. */
export function findTestFiles(pattern: string, root = ROOT): string[] {
  const files = [...new Glob(pattern).scanSync({ cwd: root })];
  return files.filter((file) => !file.includes("node_modules/")).toSorted();
}

/** Called with the process ID as soon as the file runs. */
type OnStart = (pid: number) => void;

export async function runTestFile(file: string, root = ROOT, started: OnStart = () => undefined): Promise<TestResult> {
  const startedMs = performance.now();
  // With --isolate a file has the time limit of bunfig.toml's preload. Orphaned processes would slow down the next file.
  const child = Bun.spawn([process.execPath, "test", "--isolate", "--no-orphans", `./${file}`], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: FILE_LIMIT_MS,
    killSignal: "SIGKILL",
  });
  started(child.pid);
  let log = "";
  const follow = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const utf8 = new TextDecoder();
    for await (const chunk of stream) log += utf8.decode(chunk, { stream: true });
  };
  await Promise.all([follow(child.stdout), follow(child.stderr)]);
  const isPassed = (await child.exited) === 0;
  const seconds = (performance.now() - startedMs) / 1000;
  const [passed, failed, skipped] = [count(log, "pass"), count(log, "fail"), count(log, "skip")];
  // A file that crashes, or cannot be loaded, fails without a failed test.
  return { file, isPassed, passed, failed: isPassed ? failed : Math.max(failed, 1), skipped, seconds, log };
}

/** Reads a count from the closing lines of `bun test`: " 12 pass". */
function count(log: string, kind: string): number {
  const lines = [...log.matchAll(new RegExp(`^\\s*(\\d+) ${kind}$`, "gm"))];
  return Number(lines.at(-1)?.[1] ?? 0);
}

/** Runs tasks, at most `limit` at a time, in their order. */
export async function runConcurrently<T>(items: readonly T[], limit: number, run: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: limit }, async () => {
      for (const item of waiting) await run(item);
    }),
  );
}

/** A line of progress output. */
export function describeResult({ file, isPassed, passed, failed, skipped, seconds }: TestResult): string {
  const counts = [`${passed} passed`, ...(failed > 0 ? [`${failed} failed`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  return `${isPassed ? "ok  " : "FAIL"} ${seconds.toFixed(1).padStart(6)} s  ${file}  ${counts.join(", ")}`;
}
