import { Cancellation } from "../../lib/async/cancellation.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { IdentityState } from "../authorizer.ts";
import { IdentityFailure, type CredentialSource, type ExpiringCredentials, type ObtainedCredentials } from "./credential-source.ts";
import { messageOf } from "../../lib/text/message-of.ts";

/** How long before their expiry credentials are replaced: long enough for an outage of the token service to pass unnoticed. */
const EARLY_MS = 5 * 60_000;
const EARLY_SHARE = 0.2;
/** The jitter of refreshes: many gateways start at the same time, and should not refresh at the same time. */
const JITTER = 0.1;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** The longest timer: timers of more than 24 days fire immediately. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

export interface Clock {
  nowMs(): number;
  /** Runs a task later, without keeping the process alive. */
  later(task: () => void, ms: number): void;
  random(): number;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => Date.now(),
  later: (task, ms) => void setTimeout(task, ms).unref(),
  random: () => Math.random(),
};

/**
 * Keeps credentials fresh: they are obtained once for all waiting requests, and replaced in the background before they expire. If that
 * fails, they are used until they expire.
 */
export class RefreshedCredentials<Credentials extends ExpiringCredentials> {
  readonly #source: CredentialSource<Credentials>;
  readonly #clock: Clock;
  #obtained: ObtainedCredentials<Credentials> | undefined;
  #obtainedAtMs = 0;
  #refreshing: Promise<Credentials> | undefined;
  #failure: IdentityFailure | undefined;
  #failures = 0;
  #refreshFailures = 0;
  #retryAtMs = 0;
  /** The number of the latest timer. Earlier timers are ignored: otherwise, each replacement would add another timer forever. */
  #timer = 0;

  constructor(source: CredentialSource<Credentials>, clock: Clock = SYSTEM_CLOCK) {
    this.#source = source;
    this.#clock = clock;
  }

  /** The current credentials; returned immediately unless there are no valid ones. */
  current(): Credentials | Promise<Credentials> {
    const present = this.#valid;
    if (present) return present;
    if (this.#failure && this.#isBackingOff) throw unavailable(this.#failure);
    return this.#refresh();
  }

  /** For an operator, who may have fixed the cause of a failure: if the last refresh failed, another one starts immediately. */
  async check(): Promise<void> {
    if (this.#valid && !this.#failure) return;
    const [outcome] = await Promise.allSettled([this.#refresh()]);
    if (outcome.status === "rejected" && !this.#valid) throw outcome.reason;
  }

  /** Replaces credentials that a server has rejected, and returns whether there are others now. */
  async replace(rejected: Credentials): Promise<boolean> {
    if (this.#obtained?.credentials !== rejected) return true;
    // If a server rejects every new credential, the gateway must not obtain another one for each request.
    if (this.#valid && this.#clock.nowMs() - this.#obtainedAtMs < MAX_RETRY_MS) return false;
    if (this.#isBackingOff) return false;
    return this.#refresh().then(
      () => true,
      () => false,
    );
  }

  get state(): Omit<IdentityState, "clockSkewMs"> {
    return {
      source: this.#obtained?.source,
      expiresAtMs: this.#obtained?.credentials.expiresAtMs,
      failure: this.#failure?.message,
      refreshFailures: this.#refreshFailures,
    };
  }

  get #isBackingOff(): boolean {
    return this.#failure !== undefined && this.#clock.nowMs() < this.#retryAtMs;
  }

  get #valid(): Credentials | undefined {
    const credentials = this.#obtained?.credentials;
    if (!credentials) return undefined;
    return credentials.expiresAtMs === undefined || this.#clock.nowMs() < credentials.expiresAtMs ? credentials : undefined;
  }

  /** Refreshes the credentials. Concurrent calls share one refresh. */
  #refresh(): Promise<Credentials> {
    this.#refreshing ??= this.#obtain().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #obtain(): Promise<Credentials> {
    try {
      const obtained = await this.#source.obtain(new Cancellation());
      refuseExpired(obtained, this.#clock.nowMs());
      this.#obtained = obtained;
    } catch (error) {
      throw unavailable(this.#noteFailure(error));
    }
    this.#obtainedAtMs = this.#clock.nowMs();
    this.#failure = undefined;
    this.#failures = 0;
    const { credentials } = this.#obtained;
    if (credentials.expiresAtMs !== undefined) this.#schedule(this.#refreshInMs(credentials.expiresAtMs - this.#obtainedAtMs));
    return credentials;
  }

  #noteFailure(error: unknown): IdentityFailure {
    const failure = error instanceof IdentityFailure ? error : new IdentityFailure("rejected", messageOf(error));
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS) * (1 + JITTER * this.#clock.random());
    this.#failure = failure;
    this.#refreshFailures++;
    this.#retryAtMs = this.#clock.nowMs() + waitMs;
    // Without credentials, requests start the next attempt; while the credentials are valid, only this timer does.
    if (this.#valid) this.#schedule(waitMs);
    return failure;
  }

  #refreshInMs(lifetimeMs: number): number {
    const earlyMs = Math.min(Math.max(EARLY_MS, lifetimeMs * EARLY_SHARE), lifetimeMs / 2);
    return Math.min(lifetimeMs - earlyMs * (1 + JITTER * (2 * this.#clock.random() - 1)), MAX_WAIT_MS);
  }

  /** The timer has only a weak reference, so that the credentials of a changed upstream are not refreshed forever. */
  #schedule(inMs: number): void {
    const self = new WeakRef(this);
    const timer = ++this.#timer;
    this.#clock.later(() => self.deref()?.refreshBy(timer), inMs);
  }

  /** Refreshes in the background; a failure is stored in the state. */
  refreshBy(timer: number): void {
    if (timer === this.#timer) this.#refresh().catch(() => {});
  }
}

/** Rejects expired credentials, which would be replaced immediately, again and again. */
function refuseExpired({ credentials, source }: ObtainedCredentials<ExpiringCredentials>, nowMs: number): void {
  if (credentials.expiresAtMs === undefined || credentials.expiresAtMs > nowMs) return;
  throw new IdentityFailure("expired", `the credentials of ${source} had expired when they arrived`);
}

function unavailable(failure: IdentityFailure): ApiError {
  return new ApiError("no_upstream_available", "The model is temporarily unavailable. Try again later.", {
    detail: `no credentials: ${failure.message}`,
    fault: { kind: "unreachable" },
  });
}
