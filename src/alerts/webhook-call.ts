/** A call of a webhook receiver. */
export interface WebhookCall {
  readonly url: string;
  readonly allowPrivate: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a call. */
export interface WebhookAnswer {
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Why the call does not count as delivered; null if it does. */
  readonly problem: string | null;
  /** The receiver's `Retry-After`; null if it sent none. */
  readonly retryAfterMs: number | null;
}

/** Calls a receiver. It throws only when the signal aborts it. */
export type CallWebhook = (call: WebhookCall, signal: AbortSignal) => Promise<WebhookAnswer>;
