/** A setting of the LiteLLM file that is unsupported, or converted with changes. */
export interface Unsupported {
  readonly place: string;
  readonly field: string;
  readonly why: string;
}

/** A deployment cannot be converted. The message is the reason. */
export class UnsupportedError extends Error {}

/** `why` may contain names of models, providers and variables, but no other value of the file, because it may be secret. */
export function asUnsupported({ place, field }: Omit<Unsupported, "why">, why: string): Unsupported {
  return { place: toSingleLine(place), field: toSingleLine(field), why: toSingleLine(why) };
}

/** A name from the file, in quotes. */
export function quoted(name: string): string {
  return `"${toSingleLine(name.length > 80 ? `${name.slice(0, 80)}…` : name)}"`;
}

/** The text is printed in YAML comments and terminals: a name must not end a comment or control a terminal. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
