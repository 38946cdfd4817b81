import { treeRssMib } from "../machine/process-tree.ts";
import { wrongIn, type ClientResult, type Samples } from "../load/client-result.ts";
import { runProgram } from "../load/run-program.ts";
import { startSseMock, type SseMock } from "../mock/sse-mock.ts";
import { targetAt, withSystems, type RunningSystem, type System, type Target } from "../systems/system.ts";

const MODEL = "sse-200-50";
/** One chunk per 50 ms, or 20 per second, as from a fast model. */
export const CHUNKS_PER_SECOND = 20;
const STAGGER_MS = 5000;
/** A chunk is on time while the next one is not due yet. */
export const MAX_LATE_MS = 50;
export const STEPS: readonly number[] = [125, 250, 500, 750, 1000, 1500, 2000, 3000, 4000];

export interface StreamCapacity {
  /** The largest number of concurrent streams that were complete and on time. 0 if even the smallest number was too many. */
  readonly streams: number;
  /** The sum over all processes, with that number of streams. */
  readonly rssMib: number;
  /** What could not keep up with the next step: the system or the load itself. "steps" if all steps were on time. */
  readonly limit: "system" | "load" | "steps";
}

/** The result of one step. */
export interface Step {
  readonly onTime: boolean;
  readonly rssMib: number;
}

/** Raises the number of streams until a step is late twice, and then checks whether the load alone is late with the same number. */
export async function findCapacity(
  steps: readonly number[],
  through: (streams: number) => Promise<Step>,
  direct: (streams: number) => Promise<Step>,
): Promise<StreamCapacity> {
  let [streams, rssMib] = [0, 0];
  for (const step of steps) {
    const first = await through(step);
    const made = first.onTime ? first : await through(step);
    if (!made.onTime) return { streams, rssMib, limit: (await direct(step)).onTime ? "system" : "load" };
    [streams, rssMib] = [step, made.rssMib];
  }
  return { streams, rssMib, limit: "steps" };
}

/** The number of concurrent streams that a system keeps up with. A new process is started for this measurement. */
export async function streamCapacity(
  system: System,
  steps: readonly number[],
  reportProgress: (text: string) => void,
): Promise<StreamCapacity> {
  const mock = await startSseMock();
  try {
    return await withSystems([system], { upstream: mock.upstream, models: { [MODEL]: MODEL } }, async ([entrant]) => {
      const { running } = entrant!;
      await streamTo(running.target, steps[0]!);
      const through = async (streams: number): Promise<Step> => {
        reportProgress(`${streams} streams to ${system.name}`);
        return watchMemory(running, () => streamTo(running.target, streams));
      };
      return findCapacity(steps, through, (streams) => directly(mock, streams));
    });
  } finally {
    await mock.stop();
  }
}

async function directly(mock: SseMock, streams: number): Promise<Step> {
  return { onTime: await streamTo(targetAt(mock.port), streams), rssMib: 0 };
}

interface StreamResult extends ClientResult {
  readonly lateUs: Samples | null;
}

/** A stream that was rejected or cut off is not on time either. */
async function streamTo(target: Target, streams: number): Promise<boolean> {
  const ran = await runProgram<StreamResult>("streams", { target: { ...target, model: MODEL }, streams, staggerMs: STAGGER_MS });
  const { lateUs } = ran.said;
  return wrongIn(ran) === 0 && lateUs !== null && lateUs.p99 <= MAX_LATE_MS * 1000;
}

/** The peak memory during the work. */
async function watchMemory(running: RunningSystem, work: () => Promise<boolean>): Promise<Step> {
  let rssMib = 0;
  const watching = setInterval(() => (rssMib = Math.max(rssMib, treeRssMib(running.pid!))), 250);
  try {
    const onTime = await work();
    return { onTime, rssMib };
  } finally {
    clearInterval(watching);
  }
}
