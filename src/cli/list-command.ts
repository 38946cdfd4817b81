import type { Command, Invocation, Option, Description } from "./command.ts";
import { count, countBetween, text } from "./options.ts";
import { asJson, printable, writeStdout, terminalWidth } from "./output.ts";
import { callForCommand, readFields, type Fields, type PlatformCommand } from "./platform-command.ts";
import { formatTable, type Column } from "./table.ts";

/** A command that prints a list of the platform API as a table, a page at a time. */
interface ListCommand<Item> extends Omit<PlatformCommand<Item>, "isOpen" | "stdin" | "shape" | "print" | "verdict"> {
  /** A function where they depend on what was asked for. */
  readonly columns: readonly Column<Item>[] | ((invocation: Invocation) => readonly Column<Item>[]);
  /** What is said below the table, of all that there is. */
  readonly foot?: (page: Page<Item>) => string;
}

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

const LARGEST_PAGE = 1000;

const PAGE_OPTIONS: Readonly<Record<string, Option>> = {
  limit: countBetween(1, LARGEST_PAGE, count("limit", `how many to show, up to ${LARGEST_PAGE}; 50, if not given`)),
  cursor: text("cursor", "where to go on, as the page before says", "CURSOR"),
  all: { meaning: "show all of them, however many pages it takes" },
};

export function listCommand<Item>(described: ListCommand<Item>): Command {
  const { columns, foot, complete = (fields) => fields, operands = [], options = {}, ...rest } = described;
  const command: Description = { ...rest, operands, options: { ...options, ...PAGE_OPTIONS } };
  return {
    ...command,
    async run(invocation) {
      const fields = complete(readFields(command, invocation));
      const read = invocation.options["all"] === undefined ? readPage<Item> : readAll<Item>;
      const page = await read(command, invocation, fields);
      if (invocation.json) return writeStdout(asJson(page));
      const shown = typeof columns === "function" ? columns(invocation) : columns;
      const table = formatTable(shown, page.data, terminalWidth());
      await writeStdout(printable(foot ? `${table}\n${foot(page)}` : table) + nextPageHint(page, invocation));
    },
  };
}

async function readPage<Item>(command: Description, invocation: Pick<Invocation, "operands">, fields: Fields): Promise<Page<Item>> {
  return (await callForCommand(command, invocation, fields)).answer as Page<Item>;
}

/** Every page in one. */
export async function readAll<Item>(
  command: Description,
  invocation: Pick<Invocation, "operands">,
  fields: Fields = {},
): Promise<Page<Item>> {
  const data: Item[] = [];
  let page: Page<Item> | undefined;
  do {
    const cursor = page?.next;
    page = await readPage<Item>(command, invocation, { limit: LARGEST_PAGE, ...fields, ...(cursor && { cursor }) });
    data.push(...page.data);
  } while (page.next !== null);
  return { ...page, data };
}

/** The command line for the next page: this one, with another cursor. */
function nextPageHint<Item>({ next }: Page<Item>, { name, operands, options }: Invocation): string {
  if (next === null) return "";
  const words = Object.entries({ ...options, cursor: next }).flatMap(([option, value]) => [`--${option}`, value]);
  return `\nMore: npx tollgate ${[name, ...[...operands, ...words].map(quote)].join(" ")}\n`;
}

/** A word as a shell takes it. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
