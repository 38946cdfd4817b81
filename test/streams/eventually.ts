import { WAIT_LIMIT_MS } from "../wait-limit.ts";

/** How often to look. */
interface Interval {
  readonly everyMs?: number;
}

/** Looks again and again until what is seen is as wished, and returns it. What was seen last is in the words of its failure. */
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

/** Looks until what is seen has not changed for a while: a second, at the least. */
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
