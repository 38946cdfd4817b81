import type { Placed } from "./yaml-node.ts";

/** Something of the LiteLLM file that is not in ours, or not as it was. */
export interface NotCarried {
  readonly place: string;
  readonly field: string;
  readonly why: string;
}

/** A deployment cannot be carried. The message is why. */
export class CannotCarry extends Error {}

/** No value of the file may get into `why` but names of models, providers and variables: any other may be a secret. */
export function notCarried({ place, field }: Placed, why: string): NotCarried {
  return { place: inOneLine(place), field: inOneLine(field), why: inOneLine(why) };
}

/** A name from the file, for a sentence. */
export function quoted(name: string): string {
  return `"${inOneLine(name.length > 80 ? `${name.slice(0, 80)}…` : name)}"`;
}

/** These sentences go into YAML comments and onto terminals: a name must neither end a comment nor steer a terminal. */
export function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "\u{FFFD}");
}
