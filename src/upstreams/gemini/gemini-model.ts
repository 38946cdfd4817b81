/**
 * Properties of a model that are derived from its upstream name. Google's model list has no field for them, and its own clients go by
 * the name too.
 */

const NUMBERED = /(?:^|\/)gemini-(\d+(?:\.\d+)?)(?![\d.])/;
const NEWEST = /(?:^|\/)gemini-[a-z-]+-latest$/;

/** 2.5, 3, 3.1 …; infinite for `-latest` aliases; undefined for Gemma, tuned models and unknown names. */
export function generationOf(upstreamModel: string): number | undefined {
  const number = NUMBERED.exec(upstreamModel)?.[1];
  if (number !== undefined) return Number(number);
  return NEWEST.test(upstreamModel) ? Number.POSITIVE_INFINITY : undefined;
}

/** From generation 3 on, the API rejects a function call without its thought signature. Older models ignore signatures. */
export function needsSignatures(upstreamModel: string): boolean {
  return (generationOf(upstreamModel) ?? 0) >= 3;
}

/** Gemma rejects `systemInstruction`: "Developer instruction is not enabled". */
export function takesSystemInstruction(upstreamModel: string): boolean {
  return !/(?:^|\/)gemma-/.test(upstreamModel);
}
