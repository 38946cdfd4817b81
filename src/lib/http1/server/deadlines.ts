/** How long a connection may be idle before it has shown a key. A head must be whole in that time, on any connection. */
export const IDLE_TIMEOUT_SECONDS = 30;
/** How long a connection may stay open in all without a request that had a valid credential, however much it sends. */
export const UNAUTHENTICATED_SECONDS = 60;
/** How long it has at least, however many connections come at the same time. */
const YOUNG_SECONDS = 2;
/** What is left of it after a rejection; and how long a caller may go on sending a body that was rejected, or after the end. */
export const REJECTED_SECONDS = 5;
/** A caller that was rejected while it sends may take a while before it reads the reply. */
const LINGER_SECONDS = 2;

/** The clock and the timeouts of a listener. */
export interface DeadlineSettings {
  /** Whole seconds since the listener started. */
  readonly seconds: number;
  /** How long the body of a request may take to be received. */
  readonly uploadSeconds: number;
  /** How long an authenticated connection may be idle. */
  readonly keepAliveSeconds: number;
  /** The header lines that announce it. */
  readonly keepAliveLines: string;
}

/** When a connection has had its time, by the clock of its listener, in seconds. */
export class Deadlines {
  readonly #host: DeadlineSettings;
  #silenceSeconds = IDLE_TIMEOUT_SECONDS;
  #aliveAt: number;
  /** Infinity once it is authenticated. */
  #unauthenticatedUntil: number;
  #uploadUntil = Number.POSITIVE_INFINITY;
  #sendingUntil = Number.POSITIVE_INFINITY;

  constructor(host: DeadlineSettings) {
    this.#host = host;
    this.#aliveAt = host.seconds;
    this.#unauthenticatedUntil = host.seconds + UNAUTHENTICATED_SECONDS;
  }

  stayAlive(): void {
    this.#aliveAt = this.#host.seconds;
  }

  /** It may be silent for so long from here on; 0 for as long as it takes. */
  setIdleTimeout(seconds: number): void {
    this.#silenceSeconds = seconds;
    this.stayAlive();
  }

  /** A head must be whole in a short time, however long the connection may be idle before it. */
  beginHead(): void {
    this.setIdleTimeout(IDLE_TIMEOUT_SECONDS);
  }

  /** It waits for the next request. */
  idle(): void {
    this.setIdleTimeout(this.isAuthenticated ? this.#host.keepAliveSeconds : IDLE_TIMEOUT_SECONDS);
  }

  get isAuthenticated(): boolean {
    return this.#unauthenticatedUntil === Number.POSITIVE_INFINITY;
  }

  /** What is announced of the time that it may be idle: nothing without a valid credential, because it may end at any time. */
  get keepAliveLines(): string {
    return this.isAuthenticated ? this.#host.keepAliveLines : "";
  }

  /** Whether it may not have had the time yet to show a credential. One that was rejected has shown that it has none. */
  get isYoung(): boolean {
    return !this.isAuthenticated && this.#unauthenticatedUntil - this.#host.seconds > UNAUTHENTICATED_SECONDS - YOUNG_SECONDS;
  }

  authenticate(): void {
    this.#unauthenticatedUntil = Number.POSITIVE_INFINITY;
  }

  /** A request was rejected. A caller with a valid credential may send another one for as long as it likes. */
  reject(): void {
    if (this.isAuthenticated) return;
    this.#unauthenticatedUntil = Math.min(this.#unauthenticatedUntil, this.#host.seconds + REJECTED_SECONDS);
  }

  /** How long a body may take to be received in all. */
  get uploadSeconds(): number {
    const { uploadSeconds } = this.#host;
    return this.isAuthenticated ? uploadSeconds : Math.min(uploadSeconds, UNAUTHENTICATED_SECONDS);
  }

  /** A body is to be received. */
  beginUpload(): void {
    this.#uploadUntil = this.#host.seconds + this.#host.uploadSeconds;
  }

  /** What is still sent is dropped, for a short time in all. */
  limitSending(): void {
    this.#sendingUntil = this.#host.seconds + REJECTED_SECONDS;
  }

  /** The same at the end of a connection, where silence ends it sooner. */
  linger(): void {
    this.limitSending();
    this.setIdleTimeout(LINGER_SECONDS);
  }

  /** The request before is over, and nothing has come of the next one, if it is idle. */
  beginAgain(isIdle: boolean): void {
    this.#sendingUntil = Number.POSITIVE_INFINITY;
    if (isIdle) this.idle();
  }

  get isSilent(): boolean {
    return this.#silenceSeconds !== 0 && this.#host.seconds - this.#aliveAt > this.#silenceSeconds;
  }

  get isUnauthenticatedTooLong(): boolean {
    return this.#host.seconds > this.#unauthenticatedUntil;
  }

  /** Of a body that has not been received to its end. */
  get isUploadTooSlow(): boolean {
    return this.#host.seconds > this.#uploadUntil || this.isUnauthenticatedTooLong;
  }

  get isSendingTooLong(): boolean {
    return this.#host.seconds > this.#sendingUntil;
  }
}
