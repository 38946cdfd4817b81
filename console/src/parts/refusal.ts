import { ApiError } from "../platform/call.ts";
import { messageAt } from "../platform/readable-message.ts";

/** The platform's validation error for a field; for a list or an object, also the error of any part of it. */
export function refusalAt(error: Error | null, field: string): string | undefined {
  return error instanceof ApiError ? messageAt(error, field) : undefined;
}

/** The error, unless one of these fields shows it. */
export function refusalBeside(error: Error | null, fields: readonly string[]): string | undefined {
  if (!error || fields.some((field) => refusalAt(error, field) !== undefined)) return undefined;
  return error.message;
}
