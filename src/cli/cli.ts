import { parseArgs, type ParseArgsConfig } from "node:util";
import { version } from "../../package.json" with { type: "json" };
import { ConfigError } from "../config-error.ts";
import { adjustCredit, grantCredit } from "./commands/add-credit.ts";
import { createAccount } from "./commands/create-account.ts";
import { createKey } from "./commands/create-key.ts";
import { importFromLiteLLM } from "./commands/import-litellm.ts";
import { listAccounts } from "./commands/list-accounts.ts";
import { listEntries } from "./commands/list-entries.ts";
import { listKeys } from "./commands/list-keys.ts";
import { listModels } from "./commands/list-models.ts";
import { revokeKey } from "./commands/revoke-key.ts";
import { runAudit } from "./commands/run-audit.ts";
import { showAccount } from "./commands/show-account.ts";
import { showKey } from "./commands/show-key.ts";
import { showReceipt } from "./commands/show-receipt.ts";
import { startGateway } from "./commands/start-gateway.ts";
import { updateAccount } from "./commands/update-account.ts";
import { updateKey } from "./commands/update-key.ts";
import { CommandFailed, UsageError, type Command, type Invocation } from "./command.ts";

/** By the words that call them. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: startGateway,
  "keys create": createKey,
  "keys list": listKeys,
  "keys show": showKey,
  "keys update": updateKey,
  "keys revoke": revokeKey,
  "accounts create": createAccount,
  "accounts list": listAccounts,
  "accounts show": showAccount,
  "accounts update": updateAccount,
  "credits grant": grantCredit,
  "credits adjust": adjustCredit,
  "credits list": listEntries,
  receipt: showReceipt,
  audit: runAudit,
  models: listModels,
  "import litellm": importFromLiteLLM,
};

/** Runs one command line. 0: done; 1: it failed; 2: it was called wrongly. Only errors go to stderr. */
async function run(words: readonly string[]): Promise<number> {
  try {
    const name = nameIn(words);
    const asksForHelp = words.length === 0 || words.includes("--help") || words.includes("-h");
    if (name === undefined) {
      if (words[0] === "--version") process.stdout.write(`${version}\n`);
      else if (asksForHelp || words[0] === "help") process.stdout.write(describeAll(groupIn(words)));
      else throw new UsageError(noSuchCommand(words));
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

/** The commands whose first word it is: `keys` has five. All, where it is nobody's. */
function groupIn(words: readonly string[]): string[] {
  const names = Object.keys(COMMANDS);
  const group = names.filter((name) => name.startsWith(`${words[0]} `));
  return group.length === 0 ? names : group;
}

function noSuchCommand(words: readonly string[]): string {
  const group = groupIn(words);
  const asked = JSON.stringify(words.join(" "));
  return group.length === Object.keys(COMMANDS).length
    ? `there is no command ${asked}`
    : `there is no command ${asked}, but ${group.join(", ")}`;
}

function parse(words: string[], command: Command): Invocation {
  const options: ParseArgsConfig["options"] = { json: { type: "boolean" } };
  for (const name of Object.keys(command.options)) options[name] = { type: "string" };
  try {
    const { values, positionals } = parseArgs({ args: words.map(hideSign), options, allowPositionals: true, strict: true });
    const { json, ...rest } = values as { json?: boolean } & Record<string, string>;
    if (positionals.length !== command.operands.length) throw new UsageError(wantedOperands(command.operands));
    const given = Object.entries(rest).map(([name, value]) => [name, showSign(value)]);
    return { json: json ?? false, options: Object.fromEntries(given) as Invocation["options"], operands: positionals.map(showSign) };
  } catch (error) {
    // Node goes on to explain how to pass such a word on; there is nothing here to pass it to.
    throw error instanceof UsageError ? error : new UsageError(error instanceof Error ? error.message.split(". To ")[0]! : String(error));
  }
}

const HIDDEN_SIGN = "\0";

/** A word such as -5 is an amount. Node would take it for an option, so it does not get to see the sign. */
function hideSign(word: string): string {
  return word.replace(/^-(?=\.?\d)/, HIDDEN_SIGN);
}

function showSign(word: string): string {
  return word.replace(HIDDEN_SIGN, "-");
}

function wantedOperands(operands: readonly string[]): string {
  if (operands.length === 0) return "it takes no operands";
  return operands.length === 1 ? `give it one ${operands[0]}` : `give it ${operands.join(" and ")}`;
}

function wordsFor(error: unknown, words: readonly string[]): string {
  if (error instanceof UsageError) {
    const name = nameIn(words);
    return `${error.message}\nTry: npx tollgate ${name === undefined ? "" : `${name} `}--help`;
  }
  if (error instanceof ConfigError || error instanceof CommandFailed) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeAll(names: readonly string[]): string {
  const commands = names.map((name) => ({ usage: usageOf(name, COMMANDS[name]!), summary: COMMANDS[name]!.summary }));
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  const lines = commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`);
  return `Usage: tollgate COMMAND [--json]\n\n${lines.join("\n")}\n\ntollgate COMMAND --help explains one of them.\n`;
}

function describeOne(name: string, command: Command): string {
  const options = { ...command.options, json: "print JSON, for programs" };
  const width = Math.max(...Object.keys(options).map((option) => option.length));
  const lines = Object.entries(options).map(([option, meaning]) => `  --${option.padEnd(width)}  ${meaning}`);
  return `Usage: tollgate ${usageOf(name, command)}\n\n${command.summary}\n\n${lines.join("\n")}\n`;
}

function usageOf(name: string, command: Command): string {
  return [name, ...command.operands].join(" ");
}

const exitCode = await run(process.argv.slice(2));
if (exitCode !== 0) process.exit(exitCode);
