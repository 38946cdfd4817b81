import type { YamlNode } from "./yaml-node.ts";

/** Something of the LiteLLM file that is not in ours, or not as it was. */
export interface Unsupported {
  readonly place: string;
  readonly field: string;
  readonly why: string;
}

/** A deployment cannot be carried. The message is why. */
export class UnsupportedError extends Error {}

/** No value of the file may get into `why` but names of models, providers and variables: any other may be a secret. */
export function asUnsupported({ place, field }: YamlNode, why: string): Unsupported {
  return { place: toSingleLine(place), field: toSingleLine(field), why: toSingleLine(why) };
}

/** A name from the file, for a sentence. */
export function quoted(name: string): string {
  return `"${toSingleLine(name.length > 80 ? `${name.slice(0, 80)}…` : name)}"`;
}

/** These sentences go into YAML comments and onto terminals: a name must neither end a comment nor steer a terminal. */
export function toSingleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
