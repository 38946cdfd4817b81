import { wantsNoColor } from "../../../config.ts";
import { UsageError, type Command, type Description, type Invocation } from "../../command.ts";
import { count, countBetween, text } from "../../options.ts";
import { asJson, printable, put, putPiece, terminalWidth } from "../../output.ts";
import { callInItsWords, readFields, type Fields } from "../../platform-command.ts";
import { FILTER_OPTIONS, withErrors } from "./filter-options.ts";
import { follow } from "./follow.ts";
import { RequestLines } from "./request-line.ts";
import type { Print, RequestPage } from "./request-page.ts";

const command: Description = {
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
  ...command,
  async run(invocation) {
    const isFollowed = invocation.options["follow"] !== undefined;
    if (isFollowed) refuseBounds(invocation);
    const fields = withErrors(readFields(command, invocation), invocation);
    const print = printer(invocation);
    const { data, newer } = await readPage(invocation, fields);
    if (data.length === 0 && !isFollowed && !invocation.json) return put(printable(noneWith(invocation)));
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
  return (await callInItsWords(command, invocation, fields)).answer as RequestPage;
}

function printer({ json }: Invocation): Print {
  const isTerminal = process.stdout.isTTY;
  const lines = new RequestLines({ isTerminal, hasColor: isTerminal && !wantsNoColor() });
  return (requests) => putPiece(json ? requests.map(asJson).join("") : lines.write(requests, terminalWidth()));
}
