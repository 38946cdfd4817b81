/** One call of a receiver. */
export interface WebhookCall {
  readonly url: string;
  readonly allowPrivate: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of it. */
export interface WebhookAnswer {
  /** Null where there was none. */
  readonly status: number | null;
  /** Why it does not count as delivered, in words; null where it does. */
  readonly problem: string | null;
  /** For how long it asks to be left alone; null where it does not. */
  readonly retryAfterMs: number | null;
}

/** Calls a receiver. It never throws, but where the signal ends it. */
export type CallWebhook = (call: WebhookCall, signal: AbortSignal) => Promise<WebhookAnswer>;
