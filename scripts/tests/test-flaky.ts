/**
 * Finds tests that fail by chance. Repeats test files with a busy loop on each core, and pauses one process of the test at a time for
 * seconds, to simulate a machine that stalls. Prints how often each file failed, and the log of its last failure.
 *
 *     npm run test:flaky -- test/mirror test/console/keys.full.test.ts --times 5
 *     npm run test:flaky -- test/mirror --times 5 --seed 7    the same pauses as in a run that printed this seed
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { SeededRandom } from "../../test/support/random.ts";
import { describeResult, findTestFiles, runConcurrently, runTestFile, type TestResult } from "./test-file.ts";

/** Shorter than the 10 s after which the gateway considers a silent process lost: a pause must not look like a crash. */
const MAX_STOP_MS = 4000;
const MAX_GAP_MS = 6000;

/** The process and its descendants, except those that a test has stopped: they must stay stopped. */
function runningTree(root: number): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-eo", "pid=,ppid=,stat="]);
  const rows = stdout
    .toString()
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const tree = [String(root)];
  for (const pid of tree) tree.push(...rows.filter(([, parent]) => parent === pid).map(([child]) => child!));
  const stopped = new Set(rows.filter(([, , state]) => state!.startsWith("T")).map(([pid]) => pid));
  return tree.filter((pid) => !stopped.has(pid)).map(Number);
}

/** Stops one process of the tree at a time until `isEnded`. None is stopped at the end. */
async function stopSome(root: number, random: SeededRandom, isEnded: () => boolean): Promise<void> {
  while (!isEnded()) {
    await Bun.sleep(random.next() * MAX_GAP_MS);
    if (isEnded()) return;
    const pid = random.pick(runningTree(root));
    if (!signal(pid, "SIGSTOP")) continue;
    await Bun.sleep(500 + random.next() * (MAX_STOP_MS - 500));
    signal(pid, "SIGCONT");
  }
}

/** Returns whether the process still existed. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function runWithStops(file: string, random: SeededRandom): Promise<TestResult> {
  let isEnded = false;
  let stopping: Promise<void> | undefined;
  const result = await runTestFile(file, undefined, (pid) => void (stopping = stopSome(pid, random, () => isEnded)));
  isEnded = true;
  await stopping;
  return result;
}

function startBusyLoops(): readonly Bun.Subprocess[] {
  return Array.from({ length: availableParallelism() }, () =>
    Bun.spawn([process.execPath, "-e", "for (;;);"], { stdio: ["ignore", "ignore", "ignore"] }),
  );
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { times: { type: "string", default: "3" }, seed: { type: "string", default: "1" } },
});
const files = findTestFiles("**/*.test.{ts,tsx}").filter((file) => positionals.some((part) => file.includes(part)));
if (files.length === 0 || !/^[1-9]\d*$/.test(values.times)) {
  process.stderr.write("Usage: npm run test:flaky -- <part of a path> ... [--times N] [--seed N]\n");
  process.exit(1);
}
const rounds = Array.from({ length: Number(values.times) }, (_, round) =>
  files.map((file, at) => ({ file, seed: round * files.length + at })),
);
const busy = startBusyLoops();
const failures = new Map<string, TestResult[]>();
try {
  await runConcurrently(rounds.flat(), availableParallelism(), async ({ file, seed }) => {
    const result = await runWithStops(file, new SeededRandom(Number(values.seed) * 1_000_003 + seed));
    process.stdout.write(`${describeResult(result)}\n`);
    if (!result.isPassed) failures.set(file, [...(failures.get(file) ?? []), result]);
  });
} finally {
  for (const loop of busy) loop.kill("SIGKILL");
}
for (const [file, failed] of failures) process.stdout.write(`\n${file}, its last failure:\n${failed.at(-1)!.log}\n`);
process.stdout.write(`\nFailures of ${values.times} runs, seed ${values.seed}:\n`);
for (const file of files) process.stdout.write(`${String(failures.get(file)?.length ?? 0).padStart(4)}  ${file}\n`);
process.exit(failures.size > 0 ? 1 : 0);
