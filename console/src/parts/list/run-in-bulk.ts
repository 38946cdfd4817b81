export interface Failure<Item> {
  readonly item: Item;
  readonly reason: string;
}

export interface BulkOutcome<Item> {
  readonly done: readonly Item[];
  readonly failures: readonly Failure<Item>[];
  /** The items that were not started, because the run was stopped. */
  readonly left: readonly Item[];
}

interface BulkOptions {
  readonly onProgress: (finished: number) => void;
  readonly isStopped: () => boolean;
  /** Whether all other items would fail in the same way, such as after the session has expired. */
  readonly isFatal: (error: unknown) => boolean;
}

const AT_ONCE = 4;

/** Runs a change of each item, a few at once. A failed change does not stop the others, unless its error is fatal. */
export async function runInBulk<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
  { onProgress, isStopped, isFatal }: BulkOptions,
): Promise<BulkOutcome<Item>> {
  const done: Item[] = [];
  const failures: Failure<Item>[] = [];
  let begun = 0;
  let hasEnded = false;
  const runSome = async (): Promise<void> => {
    while (begun < items.length && !hasEnded && !isStopped()) {
      const item = items[begun]!;
      begun += 1;
      try {
        await run(item);
        done.push(item);
      } catch (error) {
        hasEnded ||= isFatal(error);
        if (hasEnded) throw error;
        failures.push({ item, reason: error instanceof Error ? error.message : String(error) });
      }
      onProgress(done.length + failures.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runSome));
  return { done, failures, left: items.slice(begun) };
}
