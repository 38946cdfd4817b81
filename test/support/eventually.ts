import { WAIT_LIMIT_MS } from "./wait-limit.ts";

/** The polling interval. */
interface Interval {
  readonly everyMs?: number;
}

/** Polls until the value is as expected, and returns it. The error after the wait limit has the last value. */
export async function eventually<T>(look: () => T | Promise<T>, isAsWished: (seen: T) => boolean, interval: Interval = {}): Promise<T> {
  const { everyMs = 25 } = interval;
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (isAsWished(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Waited in vain; seen last: ${JSON.stringify(seen)}`);
    await Bun.sleep(everyMs);
  }
}

/** Polls often until the condition is met. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(isSo, Boolean, { everyMs: 5 });
}

/** Polls until the value has not changed for at least a second. */
export async function settled<T>(look: () => T | Promise<T>): Promise<T> {
  let last: T | undefined;
  let same = 0;
  return eventually(
    look,
    (seen) => {
      same = seen === last ? same + 1 : 0;
      last = seen;
      return same >= 10;
    },
    { everyMs: 100 },
  );
}
