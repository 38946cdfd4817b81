import type { ContentFilterResult } from "../requests/content-filter-result.ts";

/** The part of an upstream's error response that the gateway understands. `refusal.ts` turns it into the error that the client receives. */
export interface UpstreamError {
  readonly message: string;
  /** The status that the upstream sent, for operators, if the gateway treats it as another status. */
  readonly status?: number;
  /** The code and type of the error. */
  readonly kind: string;
  readonly param: string | undefined;
  /** The body was an HTML page: it is not from the API, but from a firewall or a proxy in front of it. */
  readonly isPage?: boolean;
  /** The findings of a content filter in the prompt, if the body states them. */
  readonly contentFilterResult?: ContentFilterResult | undefined;
  /** The retry delay, if the body states one. */
  readonly retryAfterMs?: number | undefined;
}
