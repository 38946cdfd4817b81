import { COMMANDS } from "./commands.ts";
import type { Command, Operand, Option } from "./command.ts";
import { terminalWidth } from "./output.ts";
import { formatWrapped } from "./format/table.ts";
import { wrap } from "./format/wrap.ts";
import { TOLLGATE } from "../lib/this-program.ts";

const ABOUT = `The command line of Tollgate. Most commands call the platform API of a running gateway: at TOLLGATE_PLATFORM_URL, or on this machine.
They authenticate with TOLLGATE_ACCESS_TOKEN, else TOLLGATE_OPERATOR_TOKEN, else the operator token in the data folder.`;

const OUTPUT = `Tables are for people: long text is truncated in a narrow terminal, and complete in a pipe. --json prints JSON for programs, errors
included. Commands never prompt: missing input is an error. Exit codes: 0 success, 1 failure, 2 invalid command line.`;

/** `tollgate --help` lists all commands, `tollgate keys --help` the commands of a group. */
export function describeCommands(names: readonly string[]): string {
  const termWidth = Math.max(...names.map((name) => usageOf(name).length));
  const groups = [...Map.groupBy(names, groupOf).values()];
  const tables = groups.map((group) =>
    formatMeanings(
      group.map((name) => [usageOf(name), COMMANDS[name]!.summary]),
      termWidth,
    ),
  );
  return `Usage: tollgate COMMAND [--json]

${reflow(ABOUT)}

${tables.join("\n")}
tollgate COMMAND --help describes a command, with examples.

${reflow(OUTPUT)}
`;
}

/** `keys list` belongs to `keys`. Commands of one word form a group together. */
export function groupOf(name: string): string {
  const [word] = name.split(" ");
  return Object.keys(COMMANDS).filter((other) => other.split(" ")[0] === word).length > 1 ? word! : "";
}

export function describeCommand(name: string, command: Command): string {
  const { stdin, summary, details, operands, options } = command;
  const input = stdin && stdin.onlyWith === undefined ? `It reads ${stdin.what} from stdin.` : undefined;
  const about = [summary, details, input].filter((text) => text !== undefined);
  const parts = [
    `Usage: tollgate ${fullUsageOf(name, command)}\n`,
    ...about.map((text) => `${reflow(text)}\n`),
    `Examples:\n${command.examples.map((line) => `  ${asPasted(line)}\n`).join("")}`,
    ...(operands.length === 0 ? [] : [formatMeanings(operands.map(({ name: term, meaning }) => [term, meaning]))]),
    formatMeanings([...Object.entries(options).map(describeOption), ["--json", "JSON output, for programs"]]),
  ];
  return parts.join("\n");
}

/** An example starts with the command's name, unless it is the end of a pipe. */
export function asPasted(example: string): string {
  return example.includes(`| ${TOLLGATE} `) ? example : `${TOLLGATE} ${example}`;
}

function usageOf(name: string): string {
  return [name, ...COMMANDS[name]!.operands.map(nameOf)].join(" ");
}

/** The usage line of a command: its arguments and its required options. */
export function fullUsageOf(name: string, { options }: Command): string {
  const needed = Object.entries(options).filter(([, option]) => option.required !== undefined);
  const hasMore = Object.keys(options).length > needed.length;
  return [usageOf(name), ...needed.map(([option, { value }]) => `--${option} ${value}`), ...(hasMore ? ["[OPTIONS]"] : [])].join(" ");
}

function nameOf({ name, choices, isOptional }: Operand): string {
  const shown = choices ? choices.join("|") : name;
  return isOptional ? `[${shown}]` : shown;
}

function describeOption([name, { letter, value, meaning, required }]: [string, Option]): [string, string] {
  const short = letter === undefined ? "" : `, -${letter}`;
  return [value === undefined ? `--${name}${short}` : `--${name} ${value}`, required === undefined ? meaning : `${meaning} (required)`];
}

const PROSE_WIDTH = 100;

/** Terms and their meanings, wrapped in a terminal. In a pipe each has one line. */
function formatMeanings(rows: readonly (readonly [term: string, meaning: string])[], termWidth = 0): string {
  const padded = rows.map(([term, meaning]) => [term.padEnd(termWidth), meaning]);
  return formatWrapped(padded, terminalWidth(), "  ");
}

function reflow(text: string): string {
  return wrap(text, Math.min(PROSE_WIDTH, terminalWidth() ?? PROSE_WIDTH)).join("\n");
}
