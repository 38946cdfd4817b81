import { expect, test } from "bun:test";
import type { Attempt } from "../requests/attempt.ts";
import type { LogLevel } from "../lib/log/log-level.ts";
import { RequestNotes, type EndedRequest } from "../requests/request-notes.ts";
import type { LogFields } from "../lib/log/log-format.ts";
import { logRequests } from "./log-line.ts";
import { createLog } from "../lib/log/log.ts";

function ended(status: number, notes: Partial<RequestNotes> = {}, more: Partial<EndedRequest> = {}): EndedRequest {
  const about = { listener: "gateway", method: "POST", path: "/x", isProbe: false, requestId: "req_1", client: "a-client/1.0", ...more };
  return { ...about, status, startedAt: 1000, endedAt: 1500, endedAtMs: 0, notes: Object.assign(new RequestNotes(), notes) };
}

/** The log lines of a request. */
async function linesOf(request: EndedRequest, level: LogLevel = "info"): Promise<LogFields[]> {
  const lines: LogFields[] = [];
  const log = createLog({
    output: () => Promise.resolve(true),
    format(_, fields) {
      lines.push(fields);
      return "";
    },
    redact: (line) => line,
    level,
  });
  logRequests(log)(request);
  await log.flush();
  return lines;
}

const READ = { listener: "platform", method: "GET" };

const attempt = (upstream: string, outcome: Attempt["outcome"], detail?: string): Attempt => ({
  upstream,
  upstreamModel: "m",
  startedAt: 1003,
  durationMs: 97,
  outcome,
  detail,
});

test.each([
  ["an answer", ended(200), "info"],
  ["a caller without a key", ended(401, { code: "invalid_api_key" }), "info"],
  ["a limit", ended(429, { code: "rate_limit_exceeded" }), "info"],
  ["a client that disconnected", ended(499), "info"],
  ["a stream whose client disconnected", ended(200, { isStream: true, end: "caller_gone" }), "info"],
  ["an upstream that failed", ended(502, { code: "upstream_error" }), "warn"],
  ["a stream that broke off", ended(200, { isStream: true, end: "failed", code: "upstream_error" }), "warn"],
  ["an internal error", ended(500, { code: "internal_error" }), "error"],
  ["an internal error in a stream", ended(200, { isStream: true, end: "failed", code: "internal_error" }), "error"],
  ["a read on the platform", ended(200, {}, READ), "debug"],
  ["a read of an unchanged resource", ended(304, {}, READ), "debug"],
  ["a read whose client disconnected", ended(499, {}, READ), "debug"],
  ["a rejected read", ended(403, { code: "forbidden" }, READ), "info"],
  ["a redirect from an OpenID provider", ended(303, {}, READ), "info"],
  ["a change on the platform", ended(200, {}, { ...READ, method: "PATCH" }), "info"],
  ["a read on the gateway", ended(200, {}, { ...READ, listener: "gateway" }), "info"],
] as const)("%s has its level", async (_, request, level) => {
  expect(await linesOf(request, level)).toMatchObject([{ level, request_id: "req_1" }]);
});

test("logs a probe only when it fails", async () => {
  expect(await linesOf(ended(200, {}, { isProbe: true }), "debug")).toEqual([]);
  expect(await linesOf(ended(503, {}, { isProbe: true }))).toMatchObject([{ level: "warn", status: 503 }]);
});

test("logs the time to first token of a stream, and the number of attempts where there were several", async () => {
  const attempts = [attempt("first", "busy", "429 from it"), attempt("second", "answered")];
  const [line] = await linesOf(ended(200, { isStream: true, begunAt: 1250.4, end: "complete", attempts }));
  expect(line).toMatchObject({ first_token_ms: 250, attempts: 2, failed_attempts: "first: busy", upstream: "second" });
  const [plain] = await linesOf(ended(200, { begunAt: 1250, attempts: [attempt("first", "answered")] }));
  expect([plain!["first_token_ms"], plain!["attempts"], plain!["failed_attempts"]]).toEqual([undefined, undefined, undefined]);
});

test("logs the User-Agent at level debug only", async () => {
  expect((await linesOf(ended(200)))[0]!["client"]).toBeUndefined();
  expect((await linesOf(ended(200), "debug"))[0]!["client"]).toBe("a-client/1.0");
});
