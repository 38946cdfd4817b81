import { ApiError } from "../../../requests/api-error.ts";

const RETRY_AFTER_SECONDS = 5;

/** Throws `overloaded` if more than `awaited` entries are not in the rollups, as after a move of a large ledger. */
export function refuseIfLagging(rolledId: number, lastId: number, awaited: number): void {
  if (lastId - rolledId <= awaited) return;
  const percent = Math.floor((100 * rolledId) / lastId);
  const message = `Usage is still being added up: ${percent} % of the ledger so far. Please try again in ${RETRY_AFTER_SECONDS}s.`;
  throw new ApiError("overloaded", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
