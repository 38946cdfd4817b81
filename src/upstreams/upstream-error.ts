/** The parts of an upstream's error response that the gateway understands. */
export interface Refusal {
  readonly message: string;
  /** Its code and type. */
  readonly kind: string;
  readonly param: string | undefined;
  /** The retry delay, if the body states one. */
  readonly retryAfterMs?: number | undefined;
}
