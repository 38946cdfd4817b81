import type { Attempt } from "../../requests/attempt.ts";
import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { EndedRequest, RequestNotes } from "../../requests/request-notes.ts";

/**
 * As much of a request as metrics may know. What a caller chose freely, and what is made for each caller, is out of reach: no key,
 * account, path, user agent or model as it was asked for can become the value of a label, because nobody here has it.
 */
export interface MeasuredRequest extends Pick<EndedRequest, "status"> {
  readonly notes: Readonly<Pick<RequestNotes, "model" | "isStream" | "cache" | "requestBytes" | "replyBytes" | "limit">> & {
    readonly charge: Pick<SettleEntry, "amountNanos" | "unchargedNanos" | "usage" | "provenance"> | undefined;
    readonly attempts: readonly Pick<Attempt, "upstream" | "outcome">[];
  };
}
