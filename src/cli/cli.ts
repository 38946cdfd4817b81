import { version } from "../../package.json" with { type: "json" };
import { UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { describeCommand, describeCommands } from "./help.ts";
import { writeStdout } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";
import { reportFailure } from "./report-failure.ts";
import { suggestCommand } from "./suggest.ts";

/** Runs one command line. Returns the exit code: 0 success, 1 failure, 2 invalid command line. Only errors go to stderr. */
async function run(args: readonly string[]): Promise<number> {
  try {
    if (args[0] === "--version") await writeStdout(`${version}\n`);
    else if (args.length === 0 || args[0] === "help" || args.includes("--help") || args.includes("-h")) await writeStdout(helpFor(args));
    else await runCommand(args);
    return 0;
  } catch (error) {
    const name = nameIn(args);
    return reportFailure(error, args, name === undefined ? undefined : { name, ...COMMANDS[name]! });
  }
}

async function runCommand(args: readonly string[]): Promise<void> {
  const name = nameIn(args);
  if (name === undefined) throw new UsageError(describeUnknown(args));
  const command = COMMANDS[name]!;
  await command.run(parseArguments(name, args.slice(name.split(" ").length), command));
}

/** The name of the command, of up to three words. */
function nameIn(args: readonly string[]): string | undefined {
  return [3, 2, 1].map((count) => args.slice(0, count).join(" ")).find((name) => Object.hasOwn(COMMANDS, name));
}

function helpFor(args: readonly string[]): string {
  const named = args.filter((word) => !["help", "--help", "-h"].includes(word));
  const name = nameIn(named);
  if (name !== undefined) return describeCommand(name, COMMANDS[name]!);
  const group = groupIn(named);
  if (named.length > 0 && group.length === 0) throw new UsageError(describeUnknown(named));
  return describeCommands(group.length === 0 ? Object.keys(COMMANDS) : group);
}

/** The commands of a group, such as `keys` or `upstreams credential`. */
function groupIn(args: readonly string[]): string[] {
  const ofFirst = Object.keys(COMMANDS).filter((name) => name.startsWith(`${args[0]} `));
  const ofBoth = ofFirst.filter((name) => name.startsWith(`${args.slice(0, 2).join(" ")} `));
  return ofBoth.length === 0 ? ofFirst : ofBoth;
}

function describeUnknown(args: readonly string[]): string {
  const end = args.findIndex((word) => word.startsWith("-"));
  const words = end > 0 ? args.slice(0, end) : args;
  const message = `unknown command ${JSON.stringify(words.join(" "))}`;
  const meant = suggestCommand(words, Object.keys(COMMANDS));
  if (meant !== undefined) return `${message}: did you mean ${meant}?`;
  const group = groupIn(words);
  return group.length === 0 ? message : `${message}; the commands are ${group.join(", ")}`;
}

async function main(): Promise<void> {
  const exitCode = await run(process.argv.slice(2));
  if (exitCode !== 0) process.exit(exitCode);
}

// oxlint-disable-next-line unicorn/prefer-top-level-await -- Bun has bytecode for CommonJS alone, which has none
void main();
