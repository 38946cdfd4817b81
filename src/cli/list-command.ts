import type { Command, Invocation, Option, Description } from "./command.ts";
import { count, countBetween, text } from "./options.ts";
import { asJson, printable, writeStdout, terminalWidth } from "./output.ts";
import { callForCommand, readFields, type Fields, type PlatformCommand } from "./platform-command.ts";
import { formatTable, type Column } from "./format/table.ts";
import { TOLLGATE } from "../lib/this-program.ts";

/** A command that prints a list of the platform API as a table, one page at a time. */
interface ListCommand<Item> extends Omit<PlatformCommand<Item>, "isPublic" | "stdin" | "shape" | "print" | "verdict"> {
  /** The columns of the table; a function if they depend on the options. */
  readonly columns: readonly Column<Item>[] | ((invocation: Invocation) => readonly Column<Item>[]);
  /** The sentence instead of an empty table, if it is not "None found." */
  readonly empty?: (invocation: Invocation) => string;
  /** The text below the table. */
  readonly foot?: (page: Page<Item>, invocation: Invocation) => string;
}

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

const MAX_PAGE = 1000;
export const DEFAULT_PAGE = 50;

const PAGE_OPTIONS: Readonly<Record<string, Option>> = {
  limit: countBetween(1, MAX_PAGE, count("limit", `page size, up to ${MAX_PAGE} (default: ${DEFAULT_PAGE})`)),
  cursor: text("cursor", "cursor of the next page, as printed by the previous one", "CURSOR"),
  all: { meaning: "all pages" },
};

export function listCommand<Item>(described: ListCommand<Item>): Command {
  const { columns, empty, foot, complete = (fields) => fields, operands = [], options = {}, ...rest } = described;
  const command: Description = { ...rest, operands, options: { ...options, ...PAGE_OPTIONS } };
  return {
    ...command,
    async run(invocation) {
      const fields = complete(readFields(command, invocation), invocation);
      const read = invocation.options["all"] === undefined ? readPage<Item> : readAll<Item>;
      const page = await read(command, invocation, fields);
      if (invocation.json) return writeStdout(asJson(page));
      const shown = typeof columns === "function" ? columns(invocation) : columns;
      const table =
        page.data.length === 0 && empty !== undefined ? `${empty(invocation)}\n` : formatTable(shown, page.data, terminalWidth());
      await writeStdout(printable(foot ? `${table}\n${foot(page, invocation)}` : table) + nextPageHint(page, invocation));
    },
  };
}

async function readPage<Item>(command: Description, invocation: Pick<Invocation, "operands">, fields: Fields): Promise<Page<Item>> {
  return (await callForCommand(command, invocation, fields)).body as Page<Item>;
}

/** Reads all pages into one. */
export async function readAll<Item>(
  command: Description,
  invocation: Pick<Invocation, "operands">,
  fields: Fields = {},
): Promise<Page<Item>> {
  const data: Item[] = [];
  let page: Page<Item> | undefined;
  do {
    const cursor = page?.next;
    page = await readPage<Item>(command, invocation, { limit: MAX_PAGE, ...fields, ...(cursor && { cursor }) });
    data.push(...page.data);
  } while (page.next !== null);
  return { ...page, data };
}

/** The command line for the next page. */
function nextPageHint<Item>({ next }: Page<Item>, { name, operands, options }: Invocation): string {
  if (next === null) return "";
  const args = Object.entries({ ...options, cursor: next }).flatMap(([option, value]) => [`--${option}`, value]);
  return `\nNext page: ${TOLLGATE} ${[name, ...[...operands, ...args].map(quote)].join(" ")}\n`;
}

/** A word quoted for a shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
