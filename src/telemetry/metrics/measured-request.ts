import type { Attempt } from "../../requests/attempt.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { EndedRequest, RequestNotes } from "../../requests/request-notes.ts";

/**
 * The part of a request that metrics may see. It excludes values that a client chooses, or that exist per client: no key, account, path,
 * user agent or requested model name can become a label value, which bounds the cardinality.
 */
export interface MeasuredRequest extends Pick<EndedRequest, "status"> {
  readonly notes: Readonly<Pick<RequestNotes, "model" | "fallback" | "isStream" | "cache" | "requestBytes" | "replyBytes" | "limit">> & {
    readonly charge: Pick<SettleEntry, "model" | "amountNanos" | "unchargedNanos" | "usage" | "provenance"> | undefined;
    readonly attempts: readonly Pick<Attempt, "upstream" | "outcome">[];
  };
}
