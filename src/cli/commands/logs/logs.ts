import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { wantsNoColor } from "../../../config.ts";
import { CommandFailed, UsageError, type Command, type Description, type Invocation, type Option } from "../../command.ts";
import { choice, count, countBetween, momentAgo, text } from "../../options.ts";
import { asJson, printable, writeStdout, writeChunk, terminalWidth } from "../../output.ts";
import { readPlatform } from "../../platform-client.ts";
import { callForCommand, withOptionNames, readFields, toQuery, type Fields } from "../../platform-command.ts";
import { RequestLines } from "./format-requests.ts";

/** What requests are chosen by. */
export const FILTER_OPTIONS: Readonly<Record<string, Option>> = {
  account: text("account", "those of one account", "ACCOUNT"),
  key: text("key", "those of one key, by its id", "ID"),
  model: text("model", "those for one model, as the caller named it", "MODEL"),
  upstream: text("upstream", "those that one upstream answered, or was the last to be tried; for operators", "UPSTREAM"),
  status: text("status", "those with this status: 429, or 5xx", "STATUS"),
  outcome: text(
    "outcome",
    "those that came out so: complete, given_again, explained, refused, failed or left; several with commas",
    "LIST",
  ),
  code: text("code", "those with this error code, such as rate_limit_exceeded", "CODE"),
  since: momentAgo("from", "those that ended since then: 15m, 2h, 7d, or 2027-01-31"),
  until: momentAgo("to", "those that ended before then"),
  errors: { meaning: "those that were refused or failed" },
};

/** What `--errors` stands for. */
export function withErrors(fields: Fields, { options }: Invocation): Fields {
  if (options["errors"] === undefined) return fields;
  if (options["outcome"] !== undefined) throw new UsageError("--errors and --outcome say the same: give one of them");
  return { ...fields, outcome: "refused,failed" };
}

export interface RequestPage {
  readonly data: readonly LoggedRequest[];
  readonly next: string | null;
  readonly newer: string | null;
}

const LOGS: Description = {
  summary: "Shows the last requests, newest last, and with --follow those that come.",
  details: `A line has the time in UTC, the status, the model, the key, how long it took, the tokens in and out, the cost, what went
wrong, and the request id. A narrow terminal has no room for the id of what went well. --json prints a line of JSON for each.`,
  examples: ["logs", "logs --follow", "logs --errors --since 2h", "logs --key 1t8M70XpfTe0 --status 429 --limit 10 --json"],
  operands: [],
  options: {
    follow: { meaning: "go on with those that come, until Ctrl-C", letter: "f" },
    limit: countBetween(1, 1000, count("limit", "how many to begin with, up to 1000; 50, if not given")),
    ...FILTER_OPTIONS,
    id: text("request_id", "the one with this request id", "REQUEST_ID"),
  },
  fillsIn: ["order", "cursor"],
  call: "GET /api/requests",
};

export const showLogs: Command = {
  ...LOGS,
  async run(invocation) {
    const isFollowed = invocation.options["follow"] !== undefined;
    if (isFollowed) refuseBounds(invocation);
    const fields = withErrors(readFields(LOGS, invocation), invocation);
    const print = printer(invocation);
    const { data, newer } = await readPage(invocation, fields);
    if (data.length === 0 && !isFollowed && !invocation.json) return writeStdout(printable(noneWith(invocation)));
    await print(data.toReversed());
    const { limit: _, ...filter } = fields;
    if (isFollowed) await follow((more) => readPage(invocation, { ...filter, ...more }), newer, print, invocation.json);
  },
};

/** A filter may be misspelt: a name that is nowhere has no requests. */
function noneWith({ options }: Invocation): string {
  const filters = Object.entries(options).filter(([name]) => name !== "limit");
  const given = filters.map(([name, value]) => ` --${name}${value === "" ? "" : ` ${value}`}`).join("");
  return given === "" ? "There are none.\n" : `There are none with${given}.\n`;
}

function refuseBounds({ options }: Invocation): void {
  const bound = ["until", "id"].find((name) => options[name] !== undefined);
  if (bound !== undefined) throw new UsageError(`--follow has no end, and --${bound} is one: give one of them`);
}

async function readPage(invocation: Invocation, fields: Fields): Promise<RequestPage> {
  return (await callForCommand(LOGS, invocation, fields)).answer as RequestPage;
}

/** Prints requests, and says whether they were taken. */
export type Print = (requests: readonly LoggedRequest[]) => Promise<boolean>;

function printer({ json }: Invocation): Print {
  const isTerminal = process.stdout.isTTY;
  const lines = new RequestLines({ isTerminal, hasColor: isTerminal && !wantsNoColor() });
  return (requests) => writeChunk(json ? requests.map(asJson).join("") : lines.write(requests, terminalWidth()));
}

const POLL_MS = 1000;
const LARGEST_PAGE = 1000;

/** What passes while a gateway is started anew. Anything else is for whoever has called us. */
const PASSING = new Set(["no_gateway", "overloaded", "internal_error"]);

/**
 * Prints what comes, until Ctrl-C or until nobody reads it. It goes by the place in the log up to which it has printed, which
 * outlives the gateway: so nothing is missed and nothing doubled when that is started anew.
 */
export async function follow(
  read: (fields: Fields) => Promise<RequestPage>,
  start: string | null,
  print: Print,
  json: boolean,
): Promise<void> {
  process.on("SIGINT", () => process.exit(0));
  let cursor = start;
  for (;;) {
    const fields = { order: "oldest", limit: LARGEST_PAGE, ...(cursor !== null && { cursor }) };
    const { data, next, newer } = await withBusyTimeout(() => read(fields), json);
    if (data.length > 0 && !(await print(data))) return;
    cursor = newer ?? cursor;
    if (next === null) await Bun.sleep(POLL_MS);
  }
}

/** Waits for a gateway that does not answer, and says so once. */
async function withBusyTimeout<T>(call: () => Promise<T>, json: boolean): Promise<T> {
  for (let isTold = false; ;) {
    try {
      const answer = await call();
      if (isTold) tell("gateway_back", "the gateway answers again", json);
      return answer;
    } catch (error) {
      if (!(error instanceof CommandFailed) || !PASSING.has(error.problem.code ?? "")) throw error;
      if (!isTold) tell("waiting", "the gateway does not answer; waiting for it", json);
      isTold = true;
      await Bun.sleep(POLL_MS);
    }
  }
}

function tell(code: string, detail: string, json: boolean): void {
  process.stderr.write(json ? asJson({ code, detail, param: null }) : `tollgate: ${detail}\n`);
}

const EXPORT: Description = {
  summary: "Prints requests as a file, oldest first, however many they are.",
  details: `In CSV the first line names the columns, and an apostrophe stands before text that a spreadsheet would take for a formula. It
fails, with exit code 1, where the file breaks off.`,
  examples: ["logs export > requests.csv", "logs export --format jsonl --since 7d --account default > requests.jsonl"],
  operands: [],
  options: {
    format: choice("format", ["csv", "jsonl"], "csv, if not given; jsonl is a line of JSON for each, as is --json"),
    ...FILTER_OPTIONS,
  },
  call: "GET /api/requests/export",
};

export const exportLogs: Command = {
  ...EXPORT,
  async run(invocation) {
    const given = withErrors(readFields(EXPORT, invocation), invocation);
    const fields = { ...(invocation.json && { format: "jsonl" }), ...given };
    const pieces = await withOptionNames(EXPORT, () => readPlatform(`/api/requests/export${toQuery(fields)}`));
    try {
      for await (const piece of process.stdout.isTTY ? shown(pieces) : pieces) if (!(await writeChunk(piece))) return;
    } catch (error) {
      throw new CommandFailed("the gateway broke off: what was printed is not whole", { cause: error, problem: { code: "broken_off" } });
    }
  },
};

/** For a terminal: of the control characters in it, which anybody can have sent, only the ends of lines are left. */
async function* shown(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  for await (const piece of pieces) yield printable(utf8.decode(piece, { stream: true }).replaceAll("\r", ""));
}
