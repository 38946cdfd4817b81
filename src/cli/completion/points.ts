import type { Command, Operand, Option } from "../command.ts";

/** A place on a command line where there is something to complete: after `tollgate`, after `keys`, after `keys list`. */
export interface Point {
  /** The words so far: none, one, or more. */
  readonly words: readonly string[];
  /** The words that can follow, each with what it does. */
  readonly next: readonly { readonly word: string; readonly meaning: string }[];
  readonly options: readonly CompletedOption[];
  /** What the operands can be, as far as it is known. */
  readonly operands: readonly string[];
  /** Whether an operand is a file. */
  readonly takesFile: boolean;
}

export interface CompletedOption {
  readonly name: string;
  readonly meaning: string;
  /** What its value can be: one of these, a file, anything at all; or it has none. */
  readonly value: readonly string[] | "file" | "anything" | "none";
}

/** Every such place. A shell's script is this list, in the shell's own words. */
export function completionPoints(commands: Readonly<Record<string, Command>>): Point[] {
  const names = Object.keys(commands).map((name) => name.split(" "));
  const places = new Map<string, string[]>();
  for (const words of names) for (let length = 0; length <= words.length; length++) note(places, words.slice(0, length));
  return [...places.values()].map((words) => toPoint(words, names, commands));
}

function note(places: Map<string, string[]>, words: string[]): void {
  places.set(words.join(" "), words);
}

function toPoint(words: string[], names: readonly string[][], commands: Readonly<Record<string, Command>>): Point {
  const command = commands[words.join(" ")];
  return {
    words,
    next: wordsAfter(words, names).map((word) => ({ word, meaning: meaningOf([...words, word], names, commands) })),
    options: command ? [...Object.entries(command.options).map(toCompleted), ...EVERYWHERE] : [],
    operands: command?.operands.flatMap(({ choices }) => choices ?? []) ?? [],
    takesFile: command?.operands.some(isFile) ?? false,
  };
}

const EVERYWHERE: readonly CompletedOption[] = [
  { name: "json", meaning: "print JSON, for programs", value: "none" },
  { name: "help", meaning: "explain this command", value: "none" },
];

function wordsAfter(words: readonly string[], names: readonly string[][]): string[] {
  const longer = names.filter((name) => name.length > words.length && words.every((word, at) => name[at] === word));
  return [...new Set(longer.map((name) => name[words.length]!))];
}

/** What a command does, or what a group has. */
function meaningOf(words: readonly string[], names: readonly string[][], commands: Readonly<Record<string, Command>>): string {
  return commands[words.join(" ")]?.summary ?? wordsAfter(words, names).join(", ");
}

function toCompleted([name, { meaning, value, choices }]: [string, Option]): CompletedOption {
  if (value === undefined) return { name, meaning, value: "none" };
  return { name, meaning, value: choices ?? (value === "FILE" ? "file" : "anything") };
}

function isFile({ name }: Operand): boolean {
  return name === "FILE";
}
