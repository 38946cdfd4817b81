import type { ContentFilterResult } from "../requests/content-filter-result.ts";

/** An upstream's error response, as far as the gateway understands it. `refusal.ts` turns it into the error that the client receives. */
export interface UpstreamError {
  readonly message: string;
  /** The status that the upstream sent, for operators, where the gateway treats it as another. */
  readonly status?: number;
  /** Its code and type. */
  readonly kind: string;
  readonly param: string | undefined;
  /** The body was an HTML page: it is not from the API, but from a firewall or a proxy before it. */
  readonly isPage?: boolean;
  /** What a content filter found in the prompt, if the body states it. */
  readonly contentFilterResult?: ContentFilterResult | undefined;
  /** The retry delay, if the body states one. */
  readonly retryAfterMs?: number | undefined;
}
