/** What the body of an upstream's refusal says, as far as it says it in a form we know. */
export interface Refusal {
  readonly message: string;
  /** Its code and type, or whatever words it has for them. */
  readonly kind: string;
  readonly param: string | undefined;
  /** When to come again, where that stands in the body. */
  readonly retryAfterMs?: number | undefined;
}
