import { ApiError } from "../../requests/api-error.ts";
import { networkOf } from "../../lib/net/network-of.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Free attempts and the maximum wait. People mistype a few times, and an office shares one address. */
const PER_EMAIL = { free: 5, longestMs: HOUR_MS / 4 };
const PER_ADDRESS = { free: 20, longestMs: HOUR_MS / 60 };

const MAX_REMEMBERED = 10_000;
const LOOPBACK = /^((::ffff:)?127\.|::1$)/i;

interface Failures {
  readonly count: number;
  readonly lastAtMs: number;
}

/** An admitted attempt, which counts as a failure until it succeeds. */
export interface Attempt {
  /** Whether the person has signed in from this address before. */
  readonly isKnown: boolean;
  /** Checks the password. If the check is rejected because of overload, the attempt is uncounted. */
  make<T>(check: () => Promise<T>): Promise<T>;
  /** The password was correct: earlier failures for the email are forgiven, but failures from the address are not. */
  succeed(): void;
}

/**
 * Exponential backoff against password guessing. After a few failures for an email, or from an address, the wait doubles with each further
 * attempt; an hour without failures resets it. A stranger who fails on purpose must not lock a person out: an address from which that
 * person has signed in before is counted separately, so that failures elsewhere do not affect it. A proxy on this machine forwards the
 * requests of everybody, so loopback is not counted as an address. Waits are measured by a monotonic clock. All state is in memory of fixed
 * size; a restart clears it.
 */
export class SignInThrottle {
  readonly #people = new Map<string, Failures>();
  /** Failures for unknown emails. Anybody can invent thousands of emails: these must not evict the failures for a person. */
  readonly #strangers = new Map<string, Failures>();
  readonly #addresses = new Map<string, Failures>();
  /** Pairs of an email and an address from which that person has signed in before. */
  readonly #known = new Map<string, true>();

  /**
   * Counts an attempt before it is made, so that concurrent attempts all count. Rejects it if it is too early, whether or not the email
   * belongs to a person.
   */
  admit(email: string, isPerson: boolean, address: string | null, nowMs: number): Attempt {
    const emails = isPerson ? this.#people : this.#strangers;
    const network = networkOf(address);
    const pair = pairOf(email, network);
    const isKnown = this.#known.has(pair);
    const key = isKnown ? pair : email;
    const waitMs = Math.max(
      waitOf(emails.get(key), PER_EMAIL, nowMs),
      LOOPBACK.test(address ?? "") ? 0 : waitOf(this.#addresses.get(network), PER_ADDRESS, nowMs),
    );
    if (waitMs > 0) throw tooMany(waitMs);
    const uncountEmail = countUp(emails, key, nowMs);
    const uncountAddress = countUp(this.#addresses, network, nowMs);
    return {
      isKnown,
      make: async (check) => {
        try {
          return await check();
        } catch (error) {
          uncountEmail();
          uncountAddress();
          throw error;
        }
      },
      succeed: () => {
        emails.delete(key);
        uncountAddress();
      },
    };
  }

  /**
   * Records a sign-in from an address, by any method. Only an admitted attempt is uncounted; sign-ins by link or OpenID have no attempt.
   */
  recognize(email: string, address: string | null): void {
    const pair = pairOf(email, networkOf(address));
    this.#people.delete(pair);
    remember(this.#known, pair, true);
  }
}

function waitOf(failures: Failures | undefined, { free, longestMs }: typeof PER_EMAIL, nowMs: number): number {
  if (!failures || failures.count < free) return 0;
  const pauseMs = Math.min(1000 * 2 ** (failures.count - free), longestMs);
  return failures.lastAtMs + pauseMs - nowMs;
}

/** Counts one failure. The returned function undoes it completely if nothing was counted since. */
function countUp(counts: Map<string, Failures>, key: string, nowMs: number): () => void {
  const before = counts.get(key);
  const { count, lastAtMs } = before ?? { count: 0, lastAtMs: nowMs };
  const counted = { count: nowMs - lastAtMs > HOUR_MS ? 1 : count + 1, lastAtMs: nowMs };
  remember(counts, key, counted);
  return () => {
    const now = counts.get(key);
    if (now === counted && before) counts.set(key, before);
    else if (now && now.count > 1) counts.set(key, { ...now, count: now.count - 1 });
    else counts.delete(key);
  };
}

/** A full map evicts the least recently used entry. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!);
}

function pairOf(email: string, network: string): string {
  return `${email}\n${network}`;
}

function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const wait = seconds < 60 ? `${seconds} second${seconds === 1 ? "" : "s"}` : `${Math.ceil(seconds / 60)} minutes`;
  return new ApiError("too_many_attempts", `Too many failed attempts. Try again in ${wait}.`, {
    retryAfterSeconds: seconds,
  });
}
