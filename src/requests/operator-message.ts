import { messageOf } from "../lib/text/message-of.ts";
import { ApiError } from "./api-error.ts";

/** The message of a failure for operators: the internal detail rather than the public message. */
export function operatorMessageOf(error: unknown): string {
  return error instanceof ApiError ? (error.detail ?? error.message) : messageOf(error);
}
