import { version } from "../../package.json" with { type: "json" };
import { editsBetween } from "../lib/text/nearest-word.ts";
import { UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { describeCommand, describeCommands } from "./help.ts";
import { writeStdout } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";
import { reportFailure } from "./report-failure.ts";

/** Runs one command line. 0: done; 1: it failed; 2: it was called wrongly. Only errors go to stderr. */
async function run(words: readonly string[]): Promise<number> {
  try {
    if (words[0] === "--version") await writeStdout(`${version}\n`);
    else if (words.length === 0 || words[0] === "help" || words.includes("--help") || words.includes("-h"))
      await writeStdout(helpFor(words));
    else await runCommand(words);
    return 0;
  } catch (error) {
    const name = nameIn(words);
    return reportFailure(error, words, name === undefined ? undefined : { name, ...COMMANDS[name]! });
  }
}

async function runCommand(words: readonly string[]): Promise<void> {
  const name = nameIn(words);
  if (name === undefined) throw new UsageError(noSuchCommand(words));
  const command = COMMANDS[name]!;
  await command.run(parseArguments(name, words.slice(name.split(" ").length), command));
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

async function main(): Promise<void> {
  const exitCode = await run(process.argv.slice(2));
  if (exitCode !== 0) process.exit(exitCode);
}

// oxlint-disable-next-line unicorn/prefer-top-level-await -- Bun has bytecode for CommonJS alone, which has none
void main();
