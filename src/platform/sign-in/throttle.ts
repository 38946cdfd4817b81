import { GatewayError } from "../../vocabulary/gateway-error.ts";
import { networkOf } from "../network-of.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Attempts without a wait, and the longest wait. People mistype a few times; an office shares one address. */
const PER_EMAIL = { free: 5, longestMs: HOUR_MS / 4 };
const PER_ADDRESS = { free: 20, longestMs: HOUR_MS / 60 };

const MAX_REMEMBERED = 10_000;
const LOOPBACK = /^((::ffff:)?127\.|::1$)/i;

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
}

/**
 * Slows down whoever guesses passwords. After a few failures for an email, or from an address, each further attempt has to wait
 * twice as long as the one before; an hour without any forgives all.
 *
 * A stranger who fails on purpose must not keep a person out: an address from which that person has signed in before is counted
 * apart, so what others do elsewhere does not touch it. A proxy on this machine stands for everybody, so loopback is not counted
 * as an address. All of this is in memory, in a fixed amount of it; a restart forgets it.
 */
export class SignInThrottle {
  readonly #emails = new Map<string, Failures>();
  readonly #addresses = new Map<string, Failures>();
  /** An email and an address that belong together. */
  readonly #known = new Map<string, true>();

  /** Counts an attempt before it is made, so that many at once are many; what succeeds is taken back. Refuses it if it is too early. */
  admit(email: string, address: string | null, nowMs: number): void {
    const network = networkOf(address);
    const key = this.#keyOf(email, network);
    const waitMs = Math.max(
      waitOf(this.#emails.get(key), PER_EMAIL, nowMs),
      LOOPBACK.test(address ?? "") ? 0 : waitOf(this.#addresses.get(network), PER_ADDRESS, nowMs),
    );
    if (waitMs > 0) throw tooMany(waitMs);
    countUp(this.#emails, key, nowMs);
    countUp(this.#addresses, network, nowMs);
  }

  /** The attempt that was counted last was right. */
  succeed(email: string, address: string | null): void {
    const network = networkOf(address);
    this.#emails.delete(this.#keyOf(email, network));
    const { count, lastAtMs } = this.#addresses.get(network) ?? { count: 1, lastAtMs: 0 };
    remember(this.#addresses, network, { count: count - 1, lastAtMs });
    remember(this.#known, pairOf(email, network), true);
  }

  #keyOf(email: string, network: string): string {
    const pair = pairOf(email, network);
    return this.#known.has(pair) ? pair : email;
  }
}

function waitOf(failures: Failures | undefined, { free, longestMs }: typeof PER_EMAIL, nowMs: number): number {
  if (!failures || failures.count < free) return 0;
  const pauseMs = Math.min(1000 * 2 ** (failures.count - free), longestMs);
  return failures.lastAtMs + pauseMs - nowMs;
}

function countUp(counts: Map<string, Failures>, key: string, nowMs: number): void {
  const { count, lastAtMs } = counts.get(key) ?? { count: 0, lastAtMs: nowMs };
  remember(counts, key, { count: nowMs - lastAtMs > HOUR_MS ? 1 : count + 1, lastAtMs: nowMs });
}

/** A map that is full forgets what was used least lately. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!);
}

function pairOf(email: string, network: string): string {
  return `${email}\n${network}`;
}

function tooMany(waitMs: number): GatewayError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait = seconds < 60 ? `${seconds} second${seconds === 1 ? "" : "s"}` : `${Math.ceil(seconds / 60)} minutes`;
  return new GatewayError("too_many_attempts", `There were too many failed attempts. Try again in ${wait}.`, {
    retryAfterSeconds: seconds,
  });
}
