/** One step of a shutdown. It ends even if the resource that it closes hangs or fails. */
import { messageOf } from "../lib/text/message-of.ts";
export interface ClosingStep {
  /** The name of the resource in messages. */
  readonly name: string;
  /** The deadline of the step. */
  readonly limitMs?: number;
  /** `expired` is aborted at the deadline: the step should then stop, and leave the rest undone. */
  readonly close: (expired: AbortSignal) => unknown;
}

/** A step that failed or missed its deadline. */
export interface ClosingFailure {
  readonly step: string;
  readonly reason: string;
}

const LIMIT_MS = 2000;
/** The time after the deadline in which a step can still report its unfinished work. */
const GRACE_MS = 250;

/** Runs the steps of a shutdown in order. A step that fails or hangs is recorded, and the next ones still run. */
export class Closing {
  readonly failures: ClosingFailure[] = [];
  readonly #expiry = new AbortController();

  async run(steps: readonly ClosingStep[]): Promise<void> {
    for (const step of steps) await this.#close(step);
  }

  /** Expires the running step and all later ones at once. */
  expireAll(): void {
    this.#expiry.abort();
  }

  async #close({ name, limitMs = LIMIT_MS, close }: ClosingStep): Promise<void> {
    const expiry = new AbortController();
    const expire = (): void => expiry.abort();
    // Not unref'd: if nothing else kept the process alive, it would exit here with code 0.
    const timer = setTimeout(expire, limitMs);
    if (this.#expiry.signal.aborted) expire();
    else this.#expiry.signal.addEventListener("abort", expire, { once: true });
    try {
      await Promise.race([afterExpiry(expiry.signal), attempt(close, expiry.signal)]);
    } catch (error) {
      this.failures.push({ step: name, reason: messageOf(error) });
    } finally {
      clearTimeout(timer);
      this.#expiry.signal.removeEventListener("abort", expire);
    }
  }
}

async function attempt(close: ClosingStep["close"], expired: AbortSignal): Promise<void> {
  await close(expired);
}

function afterExpiry(expired: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const expire = (): void => void setTimeout(() => reject(new Error("it did not end in time")), GRACE_MS);
  if (expired.aborted) expire();
  else expired.addEventListener("abort", expire, { once: true });
  return promise;
}
