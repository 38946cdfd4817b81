import type { Actor } from "../vocabulary/access.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * Lets everybody have one answer of a kind worked out at a time. These read much of the ledger and wait for each other: a person who
 * asks for many would make all others wait. A person's access tokens count as the person.
 */
export class OneAtATime {
  readonly #underWay = new Set<string>();

  /** Goes on until the work is done, though its caller may have left: to leave and come back makes no room. */
  async run<T>({ id }: Actor, kind: "preview" | "usage report", work: () => Promise<T>): Promise<T> {
    const which = `${kind} ${id}`;
    if (this.#underWay.has(which)) {
      const message = `You have asked for a ${kind} that is not done yet. Ask again when it is.`;
      throw new GatewayError("too_many_attempts", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#underWay.add(which);
    try {
      return await work();
    } finally {
      this.#underWay.delete(which);
    }
  }
}
