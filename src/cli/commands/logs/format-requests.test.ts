import { expect, test } from "bun:test";
import type { LoggedRequest } from "../../../../platform-client/types.ts";
import { RequestLines } from "./format-requests.ts";

const ID = "req_01a1df51-3379-7633-a8ab-792e92e7c19a";

const REQUEST: LoggedRequest = {
  request_id: ID,
  started_at: "2027-01-31T12:00:00.000Z",
  ended_at: "2027-01-31T12:00:01.234Z",
  account: "default",
  key: "1t8M70XpfTe0",
  key_name: "my application",
  model: "echo",
  answered_by: null,
  stream: false,
  status: 200,
  outcome: "complete",
  code: null,
  param: null,
  attempts: 1,
  from_cache: false,
  usage: { prompt_tokens: 1, completion_tokens: 12, total_tokens: 13 },
  provenance: "measured",
  cost: "0.000025",
  duration_ms: 1234,
  first_token_ms: null,
  overhead_ms: 1,
  request_bytes: 1,
  reply_bytes: 1,
  client: null,
  user: null,
  tags: {},
  conversation: null,
  endpoint: "chat_completions",
};

const refused: Partial<LoggedRequest> = {
  outcome: "refused",
  status: 429,
  code: "rate_limit_exceeded",
  usage: null,
  cost: null,
  duration_ms: 0.4,
};
const inPipe = { isTerminal: false, hasColor: false };
const inTerminal = { isTerminal: true, hasColor: false };

test("a line in a pipe is complete", () => {
  expect(new RequestLines(inPipe).write([REQUEST])).toBe(
    `2027-01-31T12:00:01.234Z  200  echo  my application  1.2 s  1+12  $0.000025  ${ID}\n`,
  );
});

test("columns are aligned and only become wider", () => {
  const lines = new RequestLines(inPipe);
  const [first, second] = lines.write([REQUEST, { ...REQUEST, ...refused, model: "longer-name" }]).split("\n");
  expect(first).toContain("  echo         my application   1.2 s  1+12  $0.000025  req_");
  expect(second).toEndWith(`  longer-name  my application  0.4 ms  rate_limit_exceeded  ${ID}`);
  expect(lines.write([REQUEST])).toContain("  echo         my application   1.2 s");
});

test("a terminal has a heading for each day, and truncated names", () => {
  const lines = new RequestLines(inTerminal);
  const nextDay = { ...REQUEST, ended_at: "2027-02-01T00:00:00.000Z", key_name: "a key with a name that goes on and on" };
  const screen = lines.write([REQUEST, REQUEST]) + lines.write([nextDay]);
  expect(screen.split("\n").map((line) => line.slice(0, 15).trimEnd())).toEqual([
    "2027-01-31, UTC",
    "12:00:01  200",
    "12:00:01  200",
    "2027-02-01, UTC",
    "00:00:00  200",
    "",
  ]);
  expect(screen).toContain("a key with a name that …");
});

test.each<[string, Partial<LoggedRequest>]>([
  ["client disconnected", { outcome: "client_closed", status: 499 }],
  ["idempotent replay", { outcome: "replayed" }],
  ["dry run", { outcome: "dry_run" }],
  ["response cache", { from_cache: true, attempts: 0 }],
  ["3 attempts", { attempts: 3 }],
  ["upstream_error, 2 attempts", { outcome: "failed", status: 502, code: "upstream_error", attempts: 2 }],
  ["user ada", { user: "ada" }],
  [
    "rate_limit_exceeded: The tag team=a on this key has reached its limit.",
    { ...refused, attempts: 0, detail: "The tag team=a on this key has reached its limit." },
  ],
  ["invalid_value (temperature)", { ...refused, code: "invalid_value", param: "temperature" }],
])("a note stands before the request ID: %s", (words, more) => {
  expect(new RequestLines(inPipe).write([{ ...REQUEST, ...more }])).toEndWith(`  ${words}  ${ID}\n`);
});

const failed: Partial<LoggedRequest> = { outcome: "failed", status: 502, code: "upstream_error", usage: null, cost: null, attempts: 2 };
const longNames = { model: "a model with a name that goes on", key_name: "a key with a name that goes on" };
const SCREEN = [REQUEST, { ...REQUEST, ...longNames }, { ...REQUEST, ...refused, ...longNames }, { ...REQUEST, ...failed }];

test.each([52, 60, 80, 100, 120])("no line is wider than a terminal of %p, and failed requests keep their error and ID", (width) => {
  const written = new RequestLines(inTerminal).write(SCREEN, width);
  for (const line of written.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
  expect(written).toMatch(new RegExp(`rate_limit_exceeded\\s+${ID}`));
  expect(written).toMatch(new RegExp(`upstream_error, 2 attempts\\s+${ID}`));
});

test("a narrow terminal has the whole reason of a rejection below it, and omits an end user that does not fit", () => {
  const detail = "This request may cost up to $0.0041, and the daily spend cap of this end user on this key has $0.0005 left.";
  const rejected = { ...REQUEST, ...refused, code: "budget_exceeded", attempts: 0, user: "ada", detail };
  const written = new RequestLines(inTerminal).write([rejected], 60);
  for (const line of written.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
  expect(written.replaceAll(/\s+/g, " ")).toEndWith(` budget_exceeded: ${detail} user ada ${ID} `);
  expect(new RequestLines(inTerminal).write([{ ...REQUEST, user: "ada" }], 62)).toEndWith("  $0.000025\n");
});

test("a narrow terminal omits the ID of successful requests", () => {
  expect(new RequestLines(inTerminal).write([REQUEST], 80)).toEndWith("\n12:00:01  200  echo  my application  1.2 s  1+12  $0.000025\n");
  expect(new RequestLines(inTerminal).write([REQUEST], 120)).toEndWith(`  $0.000025  ${ID}\n`);
});

test("colours distinguish failed from rejected requests, and are optional", () => {
  const colored = new RequestLines({ isTerminal: true, hasColor: true });
  expect(colored.write([{ ...REQUEST, ...failed }])).toContain("\u001b[31m502\u001b[0m");
  expect(colored.write([{ ...REQUEST, ...refused }])).toContain("\u001b[33mrate_limit_exceeded\u001b[0m");
  expect(new RequestLines(inTerminal).write([{ ...REQUEST, ...failed }])).not.toContain("\u001b");
});

test("names from clients and members cannot control the terminal", () => {
  const nasty = { ...REQUEST, model: "a\u001b[2J\r\nb", key_name: "x\u202ey", code: "c\u0007", param: "p\nq" };
  const written = new RequestLines({ isTerminal: true, hasColor: false }).write([nasty]);
  expect(written.split("\n")).toHaveLength(3);
  expect(written).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
});
