/**
 * Field names that differ only in case. Servers written in Go (Ollama among them) treat `MODEL` as `model`, even with the Kelvin sign for a
 * k or a long s for an s, and the last such field wins: https://pkg.go.dev/encoding/json#Unmarshal. A strict reader sees another request.
 */

type Names = Readonly<Record<string, unknown>>;

const patterns = new WeakMap<Names, RegExp>();

/** The known name that `name` is a variant of: equal under Unicode simple case folding, but spelled differently. */
export function variantOf(name: string, known: Names): string | undefined {
  if (Object.hasOwn(known, name)) return undefined;
  let pattern = patterns.get(known);
  if (!pattern) patterns.set(known, (pattern = foldingPattern(Object.keys(known))));
  return pattern.test(name) ? Object.keys(known).find((each) => foldingPattern([each]).test(name)) : undefined;
}

/** With the flags `i` and `u`, ECMAScript compares by Unicode simple case folding (ECMA-262, Canonicalize), as Go does. */
function foldingPattern(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.map((name) => RegExp.escape(name)).join("|")})$`, "iu");
}
