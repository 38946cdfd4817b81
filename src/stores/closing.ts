/** One step of closing, which must end though what it closes hangs or fails. */
export interface ClosingStep {
  /** What is closed, as a message names it. */
  readonly name: string;
  /** How long it may take. */
  readonly limitMs?: number;
  /** `expired` aborts when its time is up: it should then end with what it has. */
  readonly close: (expired: AbortSignal) => unknown;
}

/** A step that failed, or did not end in its time. */
export interface ClosingFailure {
  readonly step: string;
  readonly reason: string;
}

const LIMIT_MS = 2000;
/** For a step whose time is up to report what is left of it. */
const GRACE_MS = 250;

/** Closes things in order. A step that fails or hangs is recorded, and the steps after it run all the same. */
export class Closing {
  readonly failures: ClosingFailure[] = [];
  readonly #hurry = new AbortController();

  async run(steps: readonly ClosingStep[]): Promise<void> {
    for (const step of steps) await this.#close(step);
  }

  /** No step may take any more time: neither the one that runs nor those to come. */
  hurry(): void {
    this.#hurry.abort();
  }

  async #close({ name, limitMs = LIMIT_MS, close }: ClosingStep): Promise<void> {
    const expiry = new AbortController();
    const expire = (): void => expiry.abort();
    // A timer that keeps the process alive: where nothing else does, it would end here with the exit code of a success.
    const timer = setTimeout(expire, limitMs);
    if (this.#hurry.signal.aborted) expire();
    else this.#hurry.signal.addEventListener("abort", expire, { once: true });
    try {
      await Promise.race([afterExpiry(expiry.signal), attempt(close, expiry.signal)]);
    } catch (error) {
      this.failures.push({ step: name, reason: error instanceof Error ? error.message : String(error) });
    } finally {
      clearTimeout(timer);
      this.#hurry.signal.removeEventListener("abort", expire);
    }
  }
}

async function attempt(close: ClosingStep["close"], expired: AbortSignal): Promise<void> {
  await close(expired);
}

function afterExpiry(expired: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => void setTimeout(() => reject(new Error("it did not end in time")), GRACE_MS);
  if (expired.aborted) give();
  else expired.addEventListener("abort", give, { once: true });
  return promise;
}
