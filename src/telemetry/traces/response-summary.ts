import { isObject } from "../../lib/schema/schema.ts";
import { tryParse } from "../../lib/json/try-parse.ts";

/** The span attributes of a response. */
export interface ResponseSummary {
  readonly id: string | undefined;
  readonly finishReasons: readonly string[] | undefined;
  readonly choices: readonly unknown[];
}

const MAX_ID_LENGTH = 200;

/** Larger responses are not parsed for the summary: parsing them again would delay other requests. */
const MAX_READ_CHARS = 256 * 1024;

export const EMPTY_SUMMARY: ResponseSummary = { id: undefined, finishReasons: undefined, choices: [] };

/** Parses a whole response, or one chunk. */
export function summarizeResponse(json: string): ResponseSummary {
  if (json.length > MAX_READ_CHARS) return EMPTY_SUMMARY;
  const answer = tryParse(json);
  if (!isObject(answer)) return EMPTY_SUMMARY;
  const { id, choices } = answer;
  const list = Array.isArray(choices) ? choices : [];
  const reasons = list
    .map((choice) => (isObject(choice) ? choice["finish_reason"] : undefined))
    .filter((reason) => typeof reason === "string");
  return {
    id: typeof id === "string" ? id.slice(0, MAX_ID_LENGTH) : undefined,
    finishReasons: reasons.length > 0 ? reasons.map((reason) => reason.slice(0, MAX_ID_LENGTH)) : undefined,
    choices: list,
  };
}
