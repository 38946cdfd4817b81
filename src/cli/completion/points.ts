import type { Command, Operand, Option } from "../command.ts";

/** A completion point is a position in a command line: after `tollgate`, after `keys`, after `keys list`. */
export interface Point {
  /** The words so far: none, one, or more. */
  readonly words: readonly string[];
  /** The words that can follow, each with its description. */
  readonly next: readonly { readonly word: string; readonly meaning: string }[];
  readonly options: readonly CompletedOption[];
  /** The known values of the operands. */
  readonly operands: readonly string[];
  /** Whether an operand is a file. */
  readonly takesFile: boolean;
}

export interface CompletedOption {
  readonly name: string;
  readonly meaning: string;
  /** Its possible values, a file, or anything; `none` for a flag. */
  readonly value: readonly string[] | "file" | "anything" | "none";
}

/** All completion points, from which each shell's script is generated. */
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
  { name: "json", meaning: "JSON output, for programs", value: "none" },
  { name: "help", meaning: "help for this command", value: "none" },
];

function wordsAfter(words: readonly string[], names: readonly string[][]): string[] {
  const longer = names.filter((name) => name.length > words.length && words.every((word, at) => name[at] === word));
  return [...new Set(longer.map((name) => name[words.length]!))];
}

/** The summary of a command, or the commands of a group. */
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
