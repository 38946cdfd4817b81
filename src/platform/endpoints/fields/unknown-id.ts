import { GatewayError, type ErrorCode } from "../../../requests/gateway-error.ts";

/** What may be an id. A text that is longer, or has this much of base62 or base64 in a row, may be a secret in the wrong place. */
const LIKE_AN_ID = /^(?!.*[0-9A-Za-z+/=]{40})[^\p{C}]{1,100}$/u;

/** What is said where there is nothing with this id, or nothing that the caller may see. */
export function unknownId(code: ErrorCode, noun: string, id: string): GatewayError {
  return new GatewayError(code, `There is no ${noun} with ${LIKE_AN_ID.test(id) ? `the id ${JSON.stringify(id)}` : "this id"}.`);
}
