import type { Turn } from "../conversation.ts";

/** The values of the variables, by name. */
export type Variables = Readonly<Record<string, string>>;

/** `{{name}}`, as in other prompt editors. */
const PLACEHOLDER = /\{\{\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*\}\}/gu;

/** The names of the variables in these texts, in their order. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map((match) => match[1]!)))];
}

/** Replaces the variables that have a value. Variables inside a value are not replaced. */
export function fillIn(text: string, variables: Variables): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) => (Object.hasOwn(variables, name) && variables[name]) || placeholder);
}

/** Replaces variables only in the user's own text: a response may contain the same characters. */
export function fillInTurn(turn: Turn, variables: Variables): Turn {
  return turn.role === "user" ? { ...turn, text: fillIn(turn.text, variables) } : turn;
}

/** The texts that may contain variables. */
export function userTexts(system: string, turns: readonly Turn[], prompt: string): readonly string[] {
  return [system, ...turns.flatMap((turn) => (turn.role === "user" ? [turn.text] : [])), prompt];
}
