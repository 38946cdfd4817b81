/** Measures how soon a gateway cancels the upstream call after a client disconnects: see README.md. */
import { CannotMeasure, runProgram } from "./argument.ts";
import { Connection } from "./connection.ts";
import { Errors } from "./errors.ts";
import { occupiedBy } from "./occupied.ts";
import { ramp, within } from "./ramp.ts";
import { Samples } from "./samples.ts";
import { StreamCheck } from "./stream-check.ts";
import { planOf } from "./stream-plan.ts";
import { streamRequest, type Target } from "./target.ts";

interface Options {
  readonly target: Target;
  readonly disconnects?: number;
  readonly perSecond?: number;
  readonly pid: number;
  /** The base URL of the mock, which records when it saw each disconnect. */
  readonly mock: string;
}

/** The client disconnects after this text, in the middle of the stream. */
const LAST_TEXT = 2;
/** How long the last streams may take to reach this text, and the mock to see the disconnects. */
const START_TIMEOUT_MS = 30_000;
const TIMEOUT_MS = 10_000;

const errors = new Errors();
/** The time of the disconnect of each client, by its number. */
const left = new Map<number, number>();
let failed = 0;

function fail(problem: string): void {
  failed++;
  errors.add(problem);
}

async function readAndLeave(target: Target, mark: number): Promise<void> {
  try {
    const connection = await Connection.open(target);
    const check = new StreamCheck(target.model, {
      onText: (index) => {
        if (index !== LAST_TEXT) return;
        left.set(mark, performance.timeOrigin + performance.now());
        connection.leave();
      },
      onOutcome: ({ problem }) => fail(problem ?? "a stream that ended before its reader left"),
    });
    connection.ask(streamRequest(target, mark), check);
  } catch {
    fail("no connection");
  }
}

/** When the mock saw each marked disconnect. */
async function seenBy(mock: string): Promise<Map<number, number>> {
  const answer = await fetch(`${mock}/aborts`);
  if (!answer.ok) throw new CannotMeasure(`The mock does not report its requests: ${answer.status}`);
  return new Map((await answer.json()) as [number, number][]);
}

await runProgram<Options>(["target", "pid", "mock"], async ({ target, disconnects = 1000, perSecond = 500, pid, mock }) => {
  if ((planOf(target.model)?.count ?? 0) <= LAST_TEXT) throw new CannotMeasure(`${target.model} is not a stream, or too short.`);
  await fetch(`${mock}/reset`, { method: "POST" });
  const before = occupiedBy(pid);
  await ramp(disconnects, perSecond, (index) => void readAndLeave(target, index));
  await within(START_TIMEOUT_MS, () => left.size + failed >= disconnects);
  for (let missing = disconnects - left.size - failed; missing > 0; missing--) errors.add("no third text in time");
  await within(TIMEOUT_MS, async () => (await seenBy(mock)).size >= left.size);
  const seenMs = new Samples();
  const seen = await seenBy(mock);
  for (const [mark, at] of left) {
    const seenAt = seen.get(mark);
    if (seenAt === undefined) errors.add("not seen by the mock");
    else seenMs.add(seenAt - at);
  }
  await Bun.sleep(500);
  const fds = { before: before.fds, after: occupiedBy(pid).fds };
  return { ...errors.verdict(), disconnects, seen: seen.size, seenMs: seenMs.summary(), fds };
});
