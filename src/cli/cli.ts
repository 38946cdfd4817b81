import { version } from "../../package.json" with { type: "json" };
import { ConfigError } from "../config/config-error.ts";
import { editsBetween } from "../vocabulary/nearest-word.ts";
import { CommandFailed, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { describeCommand, describeCommands } from "./help.ts";
import { asJson, printable, put } from "./output.ts";
import { parseWords } from "./parse-words.ts";

/** Runs one command line. 0: done; 1: it failed; 2: it was called wrongly. Only errors go to stderr. */
async function run(words: readonly string[]): Promise<number> {
  try {
    if (words[0] === "--version") await put(`${version}\n`);
    else if (words.length === 0 || words[0] === "help" || words.includes("--help") || words.includes("-h")) await put(helpFor(words));
    else await runCommand(words);
    return 0;
  } catch (error) {
    const inJson = words.includes("--json");
    process.stderr.write(inJson ? asJson(problemFor(error)) : `tollgate: ${printable(wordsFor(error, words))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function runCommand(words: readonly string[]): Promise<void> {
  const name = nameIn(words);
  if (name === undefined) throw new UsageError(noSuchCommand(words));
  const command = COMMANDS[name]!;
  await command.run(parseWords(name, words.slice(name.split(" ").length), command));
}

/** The command that a command line begins with, in as many words as there are. */
function nameIn(words: readonly string[]): string | undefined {
  return [3, 2, 1].map((count) => words.slice(0, count).join(" ")).find((name) => Object.hasOwn(COMMANDS, name));
}

function helpFor(words: readonly string[]): string {
  const asked = words.filter((word) => !["help", "--help", "-h"].includes(word));
  const name = nameIn(asked);
  if (name !== undefined) return describeCommand(name, COMMANDS[name]!);
  const group = groupIn(asked);
  if (asked.length > 0 && group.length === 0) throw new UsageError(noSuchCommand(asked));
  return describeCommands(group.length === 0 ? Object.keys(COMMANDS) : group);
}

/** The commands that begin with these words: those of `keys`, or of `upstreams credential`. */
function groupIn(words: readonly string[]): string[] {
  const ofFirst = Object.keys(COMMANDS).filter((name) => name.startsWith(`${words[0]} `));
  const ofBoth = ofFirst.filter((name) => name.startsWith(`${words.slice(0, 2).join(" ")} `));
  return ofBoth.length === 0 ? ofFirst : ofBoth;
}

function noSuchCommand(words: readonly string[]): string {
  const group = groupIn(words);
  const asked = `there is no command ${JSON.stringify(words.join(" "))}`;
  const near = nearMiss(words);
  if (near !== undefined) return `${asked}: did you mean ${near}?`;
  return group.length === 0 ? asked : `${asked}, but ${group.join(", ")}`;
}

const MOST_SLIPS = 2;

/** The command that was meant, where the words are but a slip away from it: `key list`. */
function nearMiss(words: readonly string[]): string | undefined {
  const slips = (name: string): number => editsBetween(words.slice(0, name.split(" ").length).join(" "), name);
  const [near] = Object.keys(COMMANDS).toSorted((one, other) => slips(one) - slips(other));
  return near !== undefined && slips(near) <= MOST_SLIPS ? near : undefined;
}

/** The same for programs: a `code` that stays the same, and all that the platform said. */
function problemFor(error: unknown): object {
  const detail = messageOf(error);
  if (error instanceof UsageError) return { code: "called_wrongly", detail, param: null };
  if (error instanceof ConfigError) return { code: "invalid_config", detail, param: null };
  return { code: "failed", param: null, ...(error instanceof CommandFailed && error.problem), detail };
}

function wordsFor(error: unknown, words: readonly string[]): string {
  const name = nameIn(words);
  if (error instanceof UsageError) return `${error.message}\nTry: npx tollgate ${name === undefined ? "" : `${name} `}--help`;
  const hasOperands = name !== undefined && COMMANDS[name]!.operands.length > 0;
  return `${messageOf(error)}${hasOperands ? wayToIds(error) : ""}`;
}

/** The commands that show the ids of what there is. */
const LISTS: Readonly<Record<string, string>> = {
  unknown_account: "accounts list",
  unknown_key: "keys list",
  unknown_model: "models list",
  unknown_person: "people list",
  unknown_upstream: "upstreams list",
};

/** Where to look for an id that is not there. */
function wayToIds(error: unknown): string {
  const code = error instanceof CommandFailed ? (error.problem.code ?? "") : "";
  return Object.hasOwn(LISTS, code) ? ` See: npx tollgate ${LISTS[code]}` : "";
}

/** What is none of ours is a mistake in the program, and whoever mends it wants to know where. */
function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommandFailed) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main(): Promise<void> {
  const exitCode = await run(process.argv.slice(2));
  if (exitCode !== 0) process.exit(exitCode);
}

// oxlint-disable-next-line unicorn/prefer-top-level-await -- Bun has bytecode for CommonJS alone, which has none
void main();
