import { SETTINGS } from "../config.ts";
import { ApiError } from "../requests/api-error.ts";

/** On one machine nothing is written off: every journal is in the data folder, and is applied. */
export function refuseWriteOff(): Promise<never> {
  return Promise.reject(
    new ApiError(
      "state_conflict",
      `Only processes that share a database (${SETTINGS.databaseUrl}) can be written off. On one machine nothing is lost with a process: its journal is in the data folder, and is applied when the process is replaced or Tollgate is started again.`,
    ),
  );
}
