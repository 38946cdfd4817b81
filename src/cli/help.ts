import { COMMANDS } from "./commands.ts";
import type { Command, Operand, Option } from "./command.ts";
import { formatColumns } from "./table.ts";

const ABOUT = `The command line of Tollgate. Most commands call a running gateway: the one at TOLLGATE_PLATFORM_URL,
or on this machine. They act as whoever holds the token: TOLLGATE_ACCESS_TOKEN, else
TOLLGATE_OPERATOR_TOKEN, else the operator token in the data folder.`;

const OUTPUT = `Results are tables, for people: in a terminal that is too narrow, long text is cut; in a pipe it is
whole. --json prints JSON instead, for programs. Nothing is ever asked: what is missing is an error.
Exit codes: 0 done, 1 failed, 2 called wrongly.`;

/** What `tollgate --help` says, or `tollgate keys --help`: the commands of a group, or all of them. */
export function describeCommands(names: readonly string[]): string {
  const rows = names.map((name) => [usageOf(name, COMMANDS[name]!), COMMANDS[name]!.summary]);
  return `Usage: tollgate COMMAND [--json]

${ABOUT}

${formatColumns(rows, "  ")}
tollgate COMMAND --help explains one of them, with examples.

${OUTPUT}
`;
}

export function describeCommand(name: string, command: Command): string {
  const { stdin } = command;
  const input = stdin && stdin.onlyWith === undefined ? `It reads ${stdin.what} from the standard input.` : undefined;
  const about = [command.summary, command.details, input].filter((text) => text !== undefined);
  const parts = [
    `Usage: tollgate ${fullUsageOf(name, command)}\n`,
    `${about.join("\n\n")}\n`,
    `Examples:\n${command.examples.map((line) => `  ${asPasted(line)}\n`).join("")}`,
    ...(command.operands.length === 0 ? [] : [formatColumns(command.operands.map(describeOperand), "  ")]),
    formatColumns([...Object.entries(command.options).map(describeOption), ["--json", "print JSON, for programs"]], "  "),
  ];
  return parts.join("\n");
}

/** An example begins with the command's words, unless it is the end of a pipe. */
export function asPasted(example: string): string {
  return example.includes("| npx tollgate ") ? example : `npx tollgate ${example}`;
}

function usageOf(name: string, { operands }: Command): string {
  return [name, ...operands.map(nameOf)].join(" ");
}

/** The same, with what it cannot do without. */
export function fullUsageOf(name: string, command: Command): string {
  const needed = Object.entries(command.options).filter(([, option]) => option.required !== undefined);
  const hasMore = Object.keys(command.options).length > needed.length;
  return [usageOf(name, command), ...needed.map(([option, { value }]) => `--${option} ${value}`), ...(hasMore ? ["[OPTIONS]"] : [])].join(
    " ",
  );
}

function nameOf({ name, choices, isOptional }: Operand): string {
  const shown = choices ? choices.join("|") : name;
  return isOptional ? `[${shown}]` : shown;
}

function describeOperand({ name, meaning }: Operand): string[] {
  return [name, meaning];
}

function describeOption([name, { value, meaning, required, isRepeatable }]: [string, Option]): string[] {
  const notes = [...(required === undefined ? [] : ["required"]), ...(isRepeatable ? ["may be repeated"] : [])];
  return [value === undefined ? `--${name}` : `--${name} ${value}`, `${meaning}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`];
}
