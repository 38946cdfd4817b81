/**
 * What can be told of a model by the upstream's name for it. Google's list of models says nothing of thinking, and its own
 * clients go by the names too.
 */

const NUMBERED = /(?:^|\/)gemini-(\d+(?:\.\d+)?)(?![\d.])/;
const NEWEST = /(?:^|\/)gemini-[a-z-]+-latest$/;

/** 2.5, 3, 3.1 …; infinite for the names that follow the newest; undefined for Gemma, tuned models, and names of others. */
export function generationOf(upstreamModel: string): number | undefined {
  const number = NUMBERED.exec(upstreamModel)?.[1];
  if (number !== undefined) return Number(number);
  return NEWEST.test(upstreamModel) ? Number.POSITIVE_INFINITY : undefined;
}

/** From the third generation on, a function call without the signature that it came with is refused. Older ones ignore it. */
export function needsSignatures(upstreamModel: string): boolean {
  return (generationOf(upstreamModel) ?? 0) >= 3;
}

/** Gemma refuses `systemInstruction`: "Developer instruction is not enabled". */
export function takesSystemInstruction(upstreamModel: string): boolean {
  return !/(?:^|\/)gemma-/.test(upstreamModel);
}
