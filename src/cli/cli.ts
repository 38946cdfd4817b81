import { parseArgs, type ParseArgsConfig } from "node:util";
import { version } from "../../package.json" with { type: "json" };
import { ConfigError } from "../config-error.ts";
import { createKey } from "./commands/create-key.ts";
import { listKeys } from "./commands/list-keys.ts";
import { listModels } from "./commands/list-models.ts";
import { revokeKey } from "./commands/revoke-key.ts";
import { startGateway } from "./commands/start-gateway.ts";
import { CommandFailed, UsageError, type Command } from "./command.ts";

/** By the words that call them. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: startGateway,
  "keys create": createKey,
  "keys list": listKeys,
  "keys revoke": revokeKey,
  models: listModels,
};

/** Runs one command line. 0: done; 1: it failed; 2: it was called wrongly. Only errors go to stderr. */
async function run(words: readonly string[]): Promise<number> {
  try {
    const name = nameIn(words);
    const asksForHelp = words.length === 0 || words.includes("--help") || words.includes("-h");
    if (name === undefined) {
      if (words[0] === "--version") process.stdout.write(`${version}\n`);
      else if (asksForHelp || words[0] === "help") process.stdout.write(describeAll());
      else throw new UsageError(`there is no command ${JSON.stringify(words.join(" "))}`);
      return 0;
    }
    const command = COMMANDS[name]!;
    if (asksForHelp) {
      process.stdout.write(describeOne(name, command));
      return 0;
    }
    await command.run(parse(words.slice(name.split(" ").length), command));
    return 0;
  } catch (error) {
    process.stderr.write(`tollgate: ${wordsFor(error, words)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** The command that a command line begins with, in one word or two. */
function nameIn(words: readonly string[]): string | undefined {
  return [words.slice(0, 2).join(" "), words[0] ?? ""].find((candidate) => Object.hasOwn(COMMANDS, candidate));
}

function parse(words: string[], command: Command): { json: boolean; options: Record<string, string | undefined>; operands: string[] } {
  const options: ParseArgsConfig["options"] = { json: { type: "boolean" } };
  for (const name of Object.keys(command.options)) options[name] = { type: "string" };
  try {
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true, strict: true });
    const { json, ...rest } = values as { json?: boolean } & Record<string, string>;
    if (positionals.length !== command.operands.length) {
      throw new UsageError(command.operands.length === 0 ? "it takes no operands" : `give it one ${command.operands.join(" ")}`);
    }
    return { json: json ?? false, options: rest, operands: positionals };
  } catch (error) {
    // Node goes on to explain how to pass such a word on; there is nothing here to pass it to.
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message.split(". To ")[0]! : String(error));
  }
}

function wordsFor(error: unknown, words: readonly string[]): string {
  if (error instanceof UsageError) {
    const name = nameIn(words);
    return `${error.message}\nTry: npx tollgate ${name === undefined ? "" : `${name} `}--help`;
  }
  if (error instanceof ConfigError || error instanceof CommandFailed) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeAll(): string {
  const width = Math.max(...Object.entries(COMMANDS).map(([name, command]) => usageOf(name, command).length));
  const lines = Object.entries(COMMANDS).map(([name, command]) => `  ${usageOf(name, command).padEnd(width)}  ${command.summary}`);
  return `Usage: tollgate COMMAND [--json]\n\n${lines.join("\n")}\n\ntollgate COMMAND --help explains one of them.\n`;
}

function describeOne(name: string, command: Command): string {
  const options = { ...command.options, json: "print JSON, for programs" };
  const lines = Object.entries(options).map(([option, meaning]) => `  --${option.padEnd(10)} ${meaning}`);
  return `Usage: tollgate ${usageOf(name, command)}\n\n${command.summary}\n\n${lines.join("\n")}\n`;
}

function usageOf(name: string, command: Command): string {
  return [name, ...command.operands].join(" ");
}

const exitCode = await run(process.argv.slice(2));
if (exitCode !== 0) process.exit(exitCode);
