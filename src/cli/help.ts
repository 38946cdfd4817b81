import { COMMANDS } from "./commands.ts";
import type { Command, Operand, Option } from "./command.ts";
import { terminalWidth } from "./output.ts";
import { formatWrapped } from "./table.ts";
import { wrap } from "./wrap.ts";

const ABOUT = `The command line of Tollgate. Most commands call a running gateway: the one at TOLLGATE_PLATFORM_URL, or on this machine. They
act as whoever holds the token: TOLLGATE_ACCESS_TOKEN, else TOLLGATE_OPERATOR_TOKEN, else the operator token in the data folder.`;

const OUTPUT = `Results are tables, for people: in a terminal that is too narrow, long text is cut; in a pipe it is whole. --json prints JSON
instead, errors too, for programs. Nothing is ever asked: what is missing is an error. Exit codes: 0 done, 1 failed, 2 called wrongly.`;

/** What `tollgate --help` says, or `tollgate keys --help`: the commands of a group, or all of them. */
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
tollgate COMMAND --help explains one of them, with examples.

${reflow(OUTPUT)}
`;
}

/** `keys list` is one of `keys`. The commands that are alone with their first word are a group together. */
export function groupOf(name: string): string {
  const [word] = name.split(" ");
  return Object.keys(COMMANDS).filter((other) => other.split(" ")[0] === word).length > 1 ? word! : "";
}

export function describeCommand(name: string, command: Command): string {
  const { stdin, summary, details, operands, options } = command;
  const input = stdin && stdin.onlyWith === undefined ? `It reads ${stdin.what} from the standard input.` : undefined;
  const about = [summary, details, input].filter((text) => text !== undefined);
  const parts = [
    `Usage: tollgate ${fullUsageOf(name, command)}\n`,
    ...about.map((text) => `${reflow(text)}\n`),
    `Examples:\n${command.examples.map((line) => `  ${asPasted(line)}\n`).join("")}`,
    ...(operands.length === 0 ? [] : [formatMeanings(operands.map(({ name: term, meaning }) => [term, meaning]))]),
    formatMeanings([...Object.entries(options).map(describeOption), ["--json", "print JSON, for programs"]]),
  ];
  return parts.join("\n");
}

/** An example begins with the command's words, unless it is the end of a pipe. */
export function asPasted(example: string): string {
  return example.includes("| npx tollgate ") ? example : `npx tollgate ${example}`;
}

function usageOf(name: string): string {
  return [name, ...COMMANDS[name]!.operands.map(nameOf)].join(" ");
}

/** The same, with what it cannot do without. */
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

/** Terms and what they mean, which goes on under itself where the terminal ends. In a pipe each has one line. */
function formatMeanings(rows: readonly (readonly [term: string, meaning: string])[], termWidth = 0): string {
  const padded = rows.map(([term, meaning]) => [term.padEnd(termWidth), meaning]);
  return formatWrapped(padded, terminalWidth(), "  ");
}

function reflow(text: string): string {
  return wrap(text, Math.min(PROSE_WIDTH, terminalWidth() ?? PROSE_WIDTH)).join("\n");
}
