import type { Actor } from "../access/access.ts";
import { GatewayError } from "../requests/gateway-error.ts";

const RETRY_AFTER_SECONDS = 2;

/** A page shows several reports at once. A preview takes a person a while to read. */
const AT_A_TIME = { preview: 1, "usage report": 8, "request statistic": 8 } as const;

/**
 * Lets everybody have a few answers of a kind worked out at a time. These read much of the ledger and wait for each other: a person who
 * asks for many would make all others wait. A person's access tokens count as the person.
 */
export class ConcurrencyLimit {
  readonly #underWay = new Map<string, number>();

  /** Goes on until the work is done, though its caller may have left: to leave and come back makes no room. */
  async run<T>({ id }: Actor, kind: keyof typeof AT_A_TIME, work: () => Promise<T>): Promise<T> {
    const which = `${kind} ${id}`;
    const count = this.#underWay.get(which) ?? 0;
    if (count >= AT_A_TIME[kind]) {
      const message = `You have asked for ${count} ${kind}${count === 1 ? " that is" : "s that are"} not done yet. Ask again in a moment.`;
      throw new GatewayError("too_many_attempts", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#underWay.set(which, count + 1);
    try {
      return await work();
    } finally {
      this.#leave(which);
    }
  }

  #leave(which: string): void {
    const left = this.#underWay.get(which)! - 1;
    if (left === 0) this.#underWay.delete(which);
    else this.#underWay.set(which, left);
  }
}
