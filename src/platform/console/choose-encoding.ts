export type Encoding = "br" | "gzip" | "identity";

/** The smallest first. */
const PREFERRED: readonly Encoding[] = ["br", "gzip", "identity"];

/**
 * Which of the forms that there are to send to a client that says this in `Accept-Encoding`, RFC 9110 §12.5.3: the one that it likes
 * best, and of several the smallest. One that would rather have none of them gets the plain one.
 */
export function chooseEncoding(accepted: string | null, has: (encoding: Encoding) => boolean): Encoding {
  const weights = readWeights(accepted ?? "");
  // Without a word of it the plain form is taken too, but anything that is named comes before it.
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? weights.get("*") ?? (encoding === "identity" ? Number.MIN_VALUE : 0);
  const taken = PREFERRED.filter((encoding) => has(encoding) && weightOf(encoding) > 0);
  return taken.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? "identity";
}

/** `br;q=0.5, gzip` as br → 0.5, gzip → 1. */
function readWeights(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith("q="))?.slice(2);
    weights.set(name!, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}
