import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Platform } from "../../platform.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Rejects the removal of a resource that others refer to, and names them: by their kind, such as `keys`, their ids. */
export function refuseReferred(what: string, references: Readonly<Record<string, readonly string[]>>, instead: string): void {
  const named = Object.entries(references).filter(([, ids]) => ids.length > 0);
  if (named.length === 0) return;
  const list = named.map(([kind, ids]) => `${kind} ${summarizeList(ids)}`).join("; ");
  throw new ApiError("still_in_use", `${what} cannot be removed while these refer to it: ${list}. ${instead}`);
}

/**
 * Rejects the removal of a key or a model that ledger entries name, however old they are: the price and the payer of a request must stay on
 * record.
 */
export async function refuseCharged(
  what: string,
  filter: { readonly keyId: string } | { readonly model: string },
  { ledgerRecords, nowMs }: Platform,
): Promise<void> {
  const tomorrowMs = (Math.floor(nowMs() / DAY_MS) + 2) * DAY_MS;
  const { requests, failed } = (await ledgerRecords.usage({ bounds: [0, tomorrowMs], by: [], ...filter })).total;
  const count = requests + failed;
  if (count === 0) return;
  const entries = `${count} request${count === 1 ? "" : "s"} of the ledger`;
  throw new ApiError("still_in_use", `${what} cannot be removed: ${entries} refer to it. Archive it instead.`);
}
