import { ApiError, type ErrorCode } from "../../../requests/api-error.ts";

/**
 * The form of an id. Longer text, or text with a longer run of base62 or base64, may be a secret in the wrong place and is not echoed.
 */
const LIKE_AN_ID = /^(?!.*[0-9A-Za-z+/=]{40})[^\p{C}]{1,100}$/u;

/** The error for an id that does not exist, or that the caller may not see. */
export function unknownId(code: ErrorCode, noun: string, id: string): ApiError {
  return new ApiError(code, `There is no ${noun} with ${LIKE_AN_ID.test(id) ? `the id ${JSON.stringify(id)}` : "this id"}.`);
}
