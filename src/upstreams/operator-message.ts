import { ApiError } from "../requests/api-error.ts";

/** The message of a failure for operators: the internal detail rather than the public message. */
export function operatorMessageOf(error: unknown): string {
  if (error instanceof ApiError) return error.detail ?? error.message;
  return error instanceof Error ? error.message : String(error);
}
