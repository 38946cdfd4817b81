/** Quotes within a string are escaped, so that the text of a response cannot look like this field. */
const FINISH_REASON = /"finish_reason"\s*:\s*"([^"\\]{1,60})"/;

/** The finish reason in a response, or in a chunk of it; of several choices, the first. Null where it has none. */
export function finishReasonIn(json: string): string | null {
  return FINISH_REASON.exec(json)?.[1] ?? null;
}
