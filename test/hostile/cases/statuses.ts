import { cells } from "../../support/long.ts";
import { both, BUSY, FAILED, openaiCases, refused, TOO_SLOW, type HostileCase, type Outcome } from "../hostile-case.ts";
import { replies, JSON_TYPE } from "../on-the-wire.ts";

const STATUSES = [
  201, 202, 203, 204, 205, 206, 207, 226, 299, 300, 304, 305, 306, 399, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412,
  413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428, 429, 431, 444, 451, 499, 500, 501, 502, 503, 504, 505, 506, 507, 508,
  510, 511, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599, 600, 777, 999,
];

const ERROR = JSON.stringify({ error: { message: "No.", type: "some_error", param: null, code: "some_code" } });
const PAGE = `<!doctype html><title>Oh</title>${"<p>no</p>".repeat(20_000)}`;

/** The error for a status. An error is passed on as the client's only if the client can correct it. */
function outcomeOf(status: number): Outcome {
  if (status === 400 || status === 422) return refused(400, "invalid_value");
  if (status === 413) return refused(413, "request_too_large");
  if (status === 429 || status === 503 || status === 529) return BUSY;
  return status === 504 ? TOO_SLOW : FAILED;
}

/** The bodies that a status is combined with: one of them in the short run, both in the long run. */
const BODIES: readonly [name: string, lines: readonly string[], body: string][] = [
  ["without a body", [], ""],
  ["with an error", [JSON_TYPE], ERROR],
];

function caseOf(status: number, [name, lines, body]: (typeof BODIES)[number]): [string, Omit<HostileCase, "name" | "dialect">] {
  return [`${status} ${name}`, { play: replies(`${status} So`, lines, body), ...both(outcomeOf(status)) }];
}

/** Bodies after a status that has no body by RFC 9112 §6.3. */
const BODILESS = [204, 304].map((status): [string, Omit<HostileCase, "name" | "dialect">] => [
  `${status} with a page`,
  { play: replies(`${status} So`, ["content-type: text/html"], PAGE), ...both(FAILED) },
]);

export const statusCases = openaiCases({
  ...Object.fromEntries([...cells(STATUSES, BODIES).map(([status, body]) => caseOf(status, body)), ...BODILESS]),
  "500 with a long page": { play: replies("500 So", ["content-type: text/html"], PAGE), ...both(FAILED) },
  "400 with a long page": { play: replies("400 So", ["content-type: text/html"], PAGE), ...both(refused(400, "invalid_value")) },
  "206 with a range": { play: replies("206 Part", ["content-range: bytes 0-9/100"], "{}"), ...both(FAILED) },
});
