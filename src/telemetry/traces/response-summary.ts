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

/** Parses a whole response, one chunk, or one event of another format. */
export function summarizeResponse(json: string): ResponseSummary {
  if (json.length > MAX_READ_CHARS) return EMPTY_SUMMARY;
  const parsed = tryParse(json);
  if (!isObject(parsed)) return EMPTY_SUMMARY;
  const answer = wholeIn(parsed);
  const { id, choices } = answer;
  const list = Array.isArray(choices) ? choices : [];
  const reasons = [...list.map((choice) => (isObject(choice) ? choice["finish_reason"] : undefined)), ...reasonsIn(answer)].filter(
    (reason) => typeof reason === "string",
  );
  return {
    id: typeof id === "string" ? id.slice(0, MAX_ID_LENGTH) : undefined,
    finishReasons: reasons.length > 0 ? reasons.map((reason) => reason.slice(0, MAX_ID_LENGTH)) : undefined,
    choices: list,
  };
}

type Json = Readonly<Record<string, unknown>>;

/** The first and the last events of the Messages and the Responses API contain the whole response. */
function wholeIn(parsed: Json): Json {
  const { message, response } = parsed;
  return isObject(message) ? message : isObject(response) ? response : parsed;
}

/** Why a message or a response has ended. */
function reasonsIn({ stop_reason: reason, delta, object, status, incomplete_details: details }: Json): unknown[] {
  if (object === "response") return [isObject(details) ? details["reason"] : status === "completed" ? status : undefined];
  return [reason, isObject(delta) ? delta["stop_reason"] : undefined];
}
