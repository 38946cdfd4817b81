import { makeLink, type OneTimeLink } from "../../access/one-time-link.ts";
import { hashToken } from "../../lib/secret/random-token.ts";
import type { Secret } from "../../lib/secret/secret.ts";

const LIFETIME_MS = 60 * 60 * 1000;

/**
 * The setup link for the first operator, whom nobody can invite. It is printed where the process was started, and kept in memory only;
 * its lifetime is by a monotonic clock.
 */
export class SetupLink {
  #link: OneTimeLink | undefined;

  /** Creates the link, replacing an earlier one. */
  make(nowMs: number): Secret {
    const { token, link } = makeLink(LIFETIME_MS, nowMs);
    this.#link = link;
    return token;
  }

  opensWith(token: string, nowMs: number): boolean {
    return this.#link !== undefined && this.#link.hash === hashToken(token) && nowMs < this.#link.expiresAtMs;
  }

  /** Uses the link up. If the following step fails, the returned function restores it. */
  take(): () => void {
    const taken = this.#link;
    this.#link = undefined;
    return () => (this.#link = taken);
  }
}
