import { isObject } from "../../lib/schema/schema.ts";

/** What an answer says of itself. */
export interface AnswerFacts {
  readonly id: string | undefined;
  readonly finishReasons: readonly string[] | undefined;
  readonly choices: readonly unknown[];
}

const MAX_ID_LENGTH = 200;

/** A larger answer is not read once more only for this: it would hold up all requests. */
const MAX_READ_CHARS = 256 * 1024;

export const NO_FACTS: AnswerFacts = { id: undefined, finishReasons: undefined, choices: [] };

/** Of a whole answer, or of one chunk. */
export function factsIn(json: string): AnswerFacts {
  if (json.length > MAX_READ_CHARS) return NO_FACTS;
  const answer = parse(json);
  if (!isObject(answer)) return NO_FACTS;
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

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
