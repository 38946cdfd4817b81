import { ApiError } from "../../requests/api-error.ts";

/** Why a call failed, for operators: messages for callers omit internal details. */
export function explainFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return `The call failed: ${String(error)}`;
  const detail = error.detail ?? error.message;
  if (error.code === "no_upstream_available") return `It cannot be reached: ${detail}`;
  return error.code === "upstream_timeout" ? `It did not respond in time: ${detail}` : `The call failed: ${detail}`;
}
