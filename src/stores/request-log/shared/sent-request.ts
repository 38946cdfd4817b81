import type { LoggedRequest } from "../../../requests/logged-request.ts";

export const REQUESTS_SERVICE = "requests";

/** A record as it is sent to the owner: JSON has no large integers. */
export type SentRequest = Omit<LoggedRequest, "costNanos"> & { readonly costNanos: string | null };

export function toSent(record: LoggedRequest): SentRequest {
  // Assigned to the new record, because copying its fields would cost as much as building it.
  return Object.assign(record, { costNanos: record.costNanos === null ? null : String(record.costNanos) });
}

export function fromSent(sent: SentRequest): LoggedRequest {
  return Object.assign(sent, { costNanos: sent.costNanos === null ? null : BigInt(sent.costNanos) });
}
