import { wantsNoColor } from "../../../config.ts";
import { MODEL_ENDPOINTS } from "../../../money/attribution.ts";
import { UsageError, type Command, type Description, type Invocation, type Option } from "../../command.ts";
import { choice, count, countBetween, dollars, keyId, momentAgo, text } from "../../options.ts";
import { asJson, printable, writeStdout, writeChunk, terminalWidth } from "../../output.ts";
import { streamPlatform } from "../../platform-client.ts";
import { callForCommand, withOptionNames, readFields, toQuery, type Fields, platformCommand } from "../../platform-command.ts";
import { noneMatching } from "../../format/none-matching.ts";
import { writeExport } from "../../write-export.ts";
import { follow, MirrorFollower, type Print, type ReadPage, type RequestPage } from "./follow.ts";
import { RequestLines } from "./format-requests.ts";
import type { RequestCount } from "../../../../platform-client/types.ts";
import { formatNumber } from "../../format/format-values.ts";

/** The filters of the request log. */
export const FILTER_OPTIONS: Readonly<Record<string, Option>> = {
  account: text("account", "only requests of this account", "ACCOUNT"),
  key: keyId("key", "only requests of this key, by ID"),
  model: text("model", "only requests for this model, as the client named it", "MODEL"),
  user: text("user", "only requests of this end user; needs --account or --key", "USER"),
  tag: text("tag", "only requests with this tag, such as team:search", "NAME:VALUE"),
  conversation: text("conversation", "only requests of this conversation; needs --account or --key", "CONVERSATION"),
  endpoint: choice("endpoint", MODEL_ENDPOINTS, "only requests at this endpoint"),
  upstream: text("upstream", "only requests whose last attempt went to this upstream; operators only", "UPSTREAM"),
  status: text("status", "only this HTTP status: 429, or 5xx", "STATUS"),
  outcome: text("outcome", "only these outcomes, separated by commas: complete, replayed, dry_run, refused, failed, client_closed", "LIST"),
  code: text("code", "only this error code, such as rate_limit_exceeded", "CODE"),
  error: text("error", "only requests with this text in their error details, or in the details of an attempt; operators only", "TEXT"),
  mirror: choice(
    "mirror",
    ["any", "different"],
    "only mirrored requests, or only requests whose mirror returned another status or finish reason; operators only",
  ),
  "min-cost": dollars("min_cost", "only requests that cost at least this"),
  "max-cost": dollars("max_cost", "only requests that cost at most this"),
  "min-duration": count("min_duration_ms", "only requests that took at least this many milliseconds"),
  "max-duration": count("max_duration_ms", "only requests that took at most this many milliseconds"),
  "min-tokens": count("min_tokens", "only requests with at least this many input and output tokens"),
  "max-tokens": count("max_tokens", "only requests with at most this many input and output tokens"),
  "min-attempts": count("min_attempts", "only requests with at least this many attempts at upstreams"),
  "max-attempts": count("max_attempts", "only requests with at most this many attempts at upstreams"),
  since: momentAgo("from", "start of the range, by end time: 15m, 2h, 7d, or 2027-01-31"),
  until: momentAgo("to", "end of the range, exclusive"),
  errors: { meaning: "only requests that were rejected or failed" },
};

/** `--errors` is short for two values of the outcome filter. */
export function withErrors(fields: Fields, { options }: Invocation): Fields {
  if (options["errors"] === undefined) return fields;
  if (options["outcome"] !== undefined) throw new UsageError("--errors and --outcome cannot be combined: use one of them");
  return { ...fields, outcome: "refused,failed" };
}

const LOGS: Description = {
  summary: "Show recent requests, newest last; --follow streams new ones, --sort shows the highest first.",
  details: `Each line has the time (UTC), HTTP status, model, key, duration, tokens in and out, cost, error with its reason, end user, and request
ID. A narrow terminal omits the end user, and the ID of successful requests. --json prints the page, and with --follow one line of JSON per request.`,
  examples: [
    "logs",
    "logs --follow",
    "logs --errors --since 2h",
    "logs --sort cost --since 24h --limit 10",
    "logs --key 1t8M70XpfTe0 --status 429 --limit 10 --json",
  ],
  operands: [],
  options: {
    follow: { meaning: "print new requests as they end, until Ctrl-C", letter: "f" },
    limit: countBetween(1, 1000, count("limit", "number of recent requests, up to 1000 (default: 50)")),
    sort: choice("sort", ["cost", "duration", "tokens"], "sort by this, highest first, instead of by time"),
    ...FILTER_OPTIONS,
    id: text("request_id", "only the request with this ID", "REQUEST_ID"),
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
    const { limit: _, ...filter } = fields;
    const read: ReadPage = (more) => readPage(invocation, { ...filter, ...more });
    const isMirrored = fields["mirror"] !== undefined;
    const mirrors = isFollowed && isMirrored ? await MirrorFollower.start(read, fields["from"] as string | undefined) : undefined;
    const print = printer(invocation);
    const page = await readPage(invocation, fields);
    if (invocation.json && !isFollowed) return writeStdout(asJson(page));
    const { data, newer } = page;
    if (data.length === 0 && !isFollowed)
      return writeStdout(printable(`${noneMatching("No requests", invocation, (name) => name !== "limit")}\n`));
    await print(invocation.options["sort"] === undefined ? data.toReversed() : data);
    if (mirrors) await mirrors.follow(data, print, invocation.json);
    else if (isFollowed) await follow(read, newer, print, invocation.json);
  },
};

function refuseBounds({ options }: Invocation): void {
  const bound = ["until", "id", "sort"].find((name) => options[name] !== undefined);
  if (bound !== undefined) throw new UsageError(`--follow cannot be combined with --${bound}`);
}

async function readPage(invocation: Invocation, fields: Fields): Promise<RequestPage> {
  return (await callForCommand(LOGS, invocation, fields)).body as RequestPage;
}

function printer({ json }: Invocation): Print {
  const isTerminal = process.stdout.isTTY;
  const lines = new RequestLines({ isTerminal, hasColor: isTerminal && !wantsNoColor() });
  return (requests) => writeChunk(json ? requests.map(asJson).join("") : lines.write(requests, terminalWidth()));
}

const EXPORT: Description = {
  summary: "Export all matching requests as CSV or JSON Lines, oldest first.",
  details: `The first line of CSV names the columns, and text that a spreadsheet would execute as a formula starts with an apostrophe. Exit code 1
if the export is incomplete.`,
  examples: ["logs export > requests.csv", "logs export --format jsonl --since 7d --account default > requests.jsonl"],
  operands: [],
  options: {
    format: choice("format", ["csv", "jsonl"], "output format; --json is the same as jsonl (default: csv)"),
    ...FILTER_OPTIONS,
  },
  call: "GET /api/requests/export",
};

export const exportLogs: Command = {
  ...EXPORT,
  async run(invocation) {
    const given = withErrors(readFields(EXPORT, invocation), invocation);
    const fields = { ...(invocation.json && { format: "jsonl" }), ...given };
    const path = `/api/requests/export${toQuery(fields)}`;
    await writeExport(await withOptionNames(EXPORT, () => streamPlatform({ method: "GET", path })));
  },
};

export const countLogs = platformCommand<RequestCount>({
  summary: "Count requests.",
  details:
    "Exact by account, model and time. With other filters the newest million requests or so are read, and the count is a minimum if there are more.",
  examples: ["logs count --since 24h", "logs count --errors --min-duration 10000"],
  options: FILTER_OPTIONS,
  call: "GET /api/requests/count",
  complete: withErrors,
  print: ({ count: requests, is_exact: isExact }) => `${isExact ? "" : "at least "}${formatNumber(requests)}\n`,
});
