/** What a connection has before it has shown a key, and again after each answer. A head must be whole in that time. */
export const IDLE_TIMEOUT_SECONDS = 30;
/** How long a connection may stay open in all without a request that had a valid credential, however much it sends. */
export const UNAUTHENTICATED_SECONDS = 60;
/** How long it has at least, however many connections come at the same time. */
const YOUNG_SECONDS = 2;
/** What is left of it after a rejection; and how long a caller may go on sending a body that was rejected, or after the end. */
export const REJECTED_SECONDS = 5;
/** A caller that was rejected while it sends may take a while before it reads the reply. */
const LINGER_SECONDS = 2;

/** When a connection has had its time, by the clock of its listener, in seconds. */
export class Deadlines {
  #silenceSeconds = IDLE_TIMEOUT_SECONDS;
  #aliveAt: number;
  /** Infinity once it is authenticated. */
  #unauthenticatedUntil: number;
  #uploadUntil = Number.POSITIVE_INFINITY;
  #sendingUntil = Number.POSITIVE_INFINITY;

  constructor(now: number) {
    this.#aliveAt = now;
    this.#unauthenticatedUntil = now + UNAUTHENTICATED_SECONDS;
  }

  stayAlive(now: number): void {
    this.#aliveAt = now;
  }

  /** It may be silent for so long from here on; 0 for as long as it takes. */
  allowSilence(seconds: number, now: number): void {
    this.#silenceSeconds = seconds;
    this.#aliveAt = now;
  }

  get isAuthenticated(): boolean {
    return this.#unauthenticatedUntil === Number.POSITIVE_INFINITY;
  }

  /** Whether it may not have had the time yet to show a credential. One that was rejected has shown that it has none. */
  isYoung(now: number): boolean {
    return !this.isAuthenticated && this.#unauthenticatedUntil - now > UNAUTHENTICATED_SECONDS - YOUNG_SECONDS;
  }

  authenticate(): void {
    this.#unauthenticatedUntil = Number.POSITIVE_INFINITY;
  }

  /** A request was rejected. A caller with a valid credential may send another one for as long as it likes. */
  reject(now: number): void {
    if (!this.isAuthenticated) this.#unauthenticatedUntil = Math.min(this.#unauthenticatedUntil, now + REJECTED_SECONDS);
  }

  /** A body is to be received in so many seconds. */
  beginUpload(seconds: number, now: number): void {
    this.#uploadUntil = now + seconds;
  }

  /** What is still sent is dropped, for a short time in all. */
  limitSending(now: number): void {
    this.#sendingUntil = now + REJECTED_SECONDS;
  }

  /** The same at the end of a connection, where silence ends it sooner. */
  linger(now: number): void {
    this.limitSending(now);
    this.allowSilence(LINGER_SECONDS, now);
  }

  /** The request before is over. */
  beginAgain(): void {
    this.#sendingUntil = Number.POSITIVE_INFINITY;
  }

  isSilent(now: number): boolean {
    return this.#silenceSeconds !== 0 && now - this.#aliveAt > this.#silenceSeconds;
  }

  isUnauthenticatedTooLong(now: number): boolean {
    return now > this.#unauthenticatedUntil;
  }

  /** Of a body that has not been received to its end. */
  isUploadTooSlow(now: number): boolean {
    return now > this.#uploadUntil || this.isUnauthenticatedTooLong(now);
  }

  isSendingTooLong(now: number): boolean {
    return now > this.#sendingUntil;
  }
}
