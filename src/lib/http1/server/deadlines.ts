/** Idle timeout of a connection without a valid key. On every connection, a request head must be complete within it. */
export const IDLE_TIMEOUT_SECONDS = 30;
/** Lifetime of a connection without an authenticated request, regardless of how much it sends. */
export const UNAUTHENTICATED_SECONDS = 60;
/** Time that every connection has to authenticate, regardless of how many others are waiting. */
const YOUNG_SECONDS = 2;
/**
 * Remaining lifetime after a rejected request. Not shorter: a client that shares its connections, such as a proxy, would send a request of
 * another caller on a connection that is just being closed.
 */
export const REJECTED_SECONDS = UNAUTHENTICATED_SECONDS - YOUNG_SECONDS;
/** How long a client may go on sending a rejected body, or after the connection was shut down. */
export const REJECTED_UPLOAD_SECONDS = 5;
/** A client that is rejected while it sends may need some time before it reads the reply. */
const LINGER_SECONDS = 2;

/** The clock and the timeouts of a listener. */
export interface DeadlineSettings {
  /** Whole seconds since the listener started. */
  readonly seconds: number;
  /** How long receiving the body of a request may take. */
  readonly uploadSeconds: number;
  /** How long an authenticated connection may be idle. */
  readonly keepAliveSeconds: number;
  /** The header lines that announce this timeout. */
  readonly keepAliveLines: string;
}

/** The deadlines of a connection, by its listener's clock, in seconds. */
export class Deadlines {
  readonly #host: DeadlineSettings;
  #idleSeconds = IDLE_TIMEOUT_SECONDS;
  #activeAt: number;
  /** The deadline to authenticate; Infinity once the connection is authenticated. */
  #unauthenticatedUntil: number;
  #uploadUntil = Number.POSITIVE_INFINITY;
  #sendingUntil = Number.POSITIVE_INFINITY;

  constructor(host: DeadlineSettings) {
    this.#host = host;
    this.#activeAt = host.seconds;
    this.#unauthenticatedUntil = host.seconds + UNAUTHENTICATED_SECONDS;
  }

  touch(): void {
    this.#activeAt = this.#host.seconds;
  }

  /** Sets the idle timeout from now on; 0 for none. */
  setIdleTimeout(seconds: number): void {
    this.#idleSeconds = seconds;
    this.touch();
  }

  /** A request head must be complete within a short time, whatever the idle timeout was before it. */
  beginHead(): void {
    this.setIdleTimeout(IDLE_TIMEOUT_SECONDS);
  }

  /** Called when the connection waits for the next request. */
  idle(): void {
    this.setIdleTimeout(this.isAuthenticated ? this.#host.keepAliveSeconds : IDLE_TIMEOUT_SECONDS);
  }

  get isAuthenticated(): boolean {
    return this.#unauthenticatedUntil === Number.POSITIVE_INFINITY;
  }

  /** The Keep-Alive header lines: none without a valid credential, because such a connection may be closed at any time. */
  get keepAliveLines(): string {
    return this.isAuthenticated ? this.#host.keepAliveLines : "";
  }

  /** Whether the connection may not have had time to authenticate yet. A rejected request shows that it has no valid credential. */
  get isYoung(): boolean {
    return !this.isAuthenticated && this.#unauthenticatedUntil - this.#host.seconds > UNAUTHENTICATED_SECONDS - YOUNG_SECONDS;
  }

  authenticate(): void {
    this.#unauthenticatedUntil = Number.POSITIVE_INFINITY;
  }

  /** Called when the credential is no longer valid: the connection is closed soon, unless it sends another credential. */
  endAuthentication(): void {
    this.#unauthenticatedUntil = this.#host.seconds + REJECTED_SECONDS;
  }

  /** Called when a request was rejected. This does not shorten the lifetime of an authenticated connection. */
  reject(): void {
    if (this.isAuthenticated) return;
    this.#unauthenticatedUntil = Math.min(this.#unauthenticatedUntil, this.#host.seconds + REJECTED_SECONDS);
  }

  /** How long receiving a whole body may take. */
  get uploadSeconds(): number {
    const { uploadSeconds } = this.#host;
    return this.isAuthenticated ? uploadSeconds : Math.min(uploadSeconds, UNAUTHENTICATED_SECONDS);
  }

  /** Called when the server starts to receive a body. */
  beginUpload(): void {
    this.#uploadUntil = this.#host.seconds + this.#host.uploadSeconds;
  }

  /** Limits how long received bytes are dropped. */
  limitSending(): void {
    this.#sendingUntil = this.#host.seconds + REJECTED_UPLOAD_SECONDS;
  }

  /** The same limit after the connection was shut down, with a shorter idle timeout. */
  linger(): void {
    this.limitSending();
    this.setIdleTimeout(LINGER_SECONDS);
  }

  /** Called when the previous request is complete. The connection is idle if nothing of the next request was received. */
  beginAgain(isIdle: boolean): void {
    this.#sendingUntil = Number.POSITIVE_INFINITY;
    if (isIdle) this.idle();
  }

  get isIdleTooLong(): boolean {
    return this.#idleSeconds !== 0 && this.#host.seconds - this.#activeAt > this.#idleSeconds;
  }

  get isUnauthenticatedTooLong(): boolean {
    return this.#host.seconds > this.#unauthenticatedUntil;
  }

  /** For a body that was not received completely. */
  get isUploadTooSlow(): boolean {
    return this.#host.seconds > this.#uploadUntil || this.isUnauthenticatedTooLong;
  }

  get isSendingTooLong(): boolean {
    return this.#host.seconds > this.#sendingUntil;
  }
}
