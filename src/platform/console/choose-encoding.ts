export type Encoding = "br" | "gzip" | "identity";

/** Smallest first. */
const PREFERRED: readonly Encoding[] = ["br", "gzip", "identity"];

/**
 * Negotiates the encoding by `Accept-Encoding`, RFC 9110 §12.5.3: the client's preference, and among equal preferences the smallest
 * encoding. A client that accepts none of them gets the identity encoding.
 */
export function chooseEncoding(accepted: string | null, has: (encoding: Encoding) => boolean): Encoding {
  const weights = readWeights(accepted ?? "");
  // Identity is acceptable without being named, but any named encoding is preferred.
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
