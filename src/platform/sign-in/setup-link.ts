import { makeLink, type OneTimeLink } from "../../access/one-time-link.ts";
import { hashToken } from "../../lib/secret/random-token.ts";
import type { Secret } from "../../lib/secret/secret.ts";

const LIFETIME_MS = 60 * 60 * 1000;

/** The link for the first operator, whom nobody can invite. It is shown where the process was started, and kept in memory alone; its lifetime is by a clock that nobody sets. */
export class FirstLink {
  #link: OneTimeLink | undefined;

  /** Makes the link, in place of an earlier one. */
  make(nowMs: number): Secret {
    const { token, link } = makeLink(LIFETIME_MS, nowMs);
    this.#link = link;
    return token;
  }

  opensWith(token: string, nowMs: number): boolean {
    return this.#link !== undefined && this.#link.hash === hashToken(token) && nowMs < this.#link.expiresAtMs;
  }

  /** Uses it up. What it was used for may fail: then the function that this gives puts it back. */
  take(): () => void {
    const taken = this.#link;
    this.#link = undefined;
    return () => (this.#link = taken);
  }
}
