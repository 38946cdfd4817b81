import { afterAll, beforeAll, expect, test } from "bun:test";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { isLong } from "../support/long.ts";
import { HAS_PROC, peakResidentBytes, residentBytes } from "../streams/process-facts.ts";
import { allCases } from "./all-cases.ts";
import { expectCharge, expectOutcome, type Completeness } from "./expect-outcome.ts";
import { answered, type HostileCase, type Outcome } from "./hostile-case.ts";
import { startHostile, type Hostile } from "./start-hostile.ts";
import { tryParse } from "../../src/lib/json/try-parse.ts";

const MB = 1024 * 1024;

/** Cases with a million elements differ from the cases with 100,000 only in their size. */
const isTried = ({ isHuge, name }: HostileCase): boolean => isHuge !== true && (isLong || !name.includes("1,000,000 "));

let hostile: Hostile;
let residentBefore = 0;
/** The expected and the actual outcome of each request, by its ID. */
const outcomes = new Map<string, { name: string; completeness: Completeness; outcome: Outcome }>();

beforeAll(async () => {
  hostile = await startHostile(isTried);
  if (HAS_PROC) residentBefore = residentBytes(hostile.gateway.pid);
});

afterAll(() => hostile.stop());

for (const [place, each] of allCases().entries()) {
  if (!isTried(each)) continue;
  for (const stream of [false, true]) {
    const outcome = stream ? each.stream : each.json;
    if (outcome === undefined) continue;
    runCase(
      place,
      stream,
      `${stream ? "a stream" : "a JSON response"} has a defined outcome when the upstream sends ${each.name}`,
      outcome,
      each.isSlow ?? false,
    );
  }
}

/** Sends a request to a hostile upstream, and then a request to a good upstream. */
function runCase(place: number, stream: boolean, name: string, outcome: Outcome, isSlow: boolean): void {
  test.concurrent(name, async () => {
    const { requestId, completeness } = await askAndExpect(place, stream, outcome, isSlow);
    outcomes.set(requestId, { name, completeness, outcome });
    const good = await askAndExpect("good", stream, answered(), false);
    outcomes.set(good.requestId, { name: `after ${name}`, completeness: good.completeness, outcome: answered() });
  });
}

/**
 * Retries if a slow machine may have changed the outcome. With short timeouts, a call may run into a different timeout than the tested one. A
 * stream that has sent a keep-alive comment before its first token reports its error in a frame.
 */
async function askAndExpect(
  place: number | "good",
  stream: boolean,
  outcome: Outcome,
  isSlow: boolean,
  times = 5,
): Promise<{ requestId: string; completeness: Completeness }> {
  const reply = await hostile.ask(place, stream);
  try {
    return { requestId: reply.requestId, completeness: expectOutcome(reply, outcome) };
  } catch (error) {
    const mayBeLate = isSlow || reply.text.startsWith(": keep-alive");
    if (!mayBeLate || times === 1) throw error;
    return askAndExpect(place, stream, outcome, isSlow, times - 1);
  }
}

test.serial("an unsolicited second response is not delivered to the next client", async () => {
  const place = allCases().findIndex(({ name }) => name === "an unsolicited second response");
  for (let time = 0; time < 10; time++) expectOutcome(await hostile.ask(place, time % 2 === 0), answered());
});

test.serial("each request ends once and is charged for the received part of its response", async () => {
  await eventually(
    () => openIn(ledgerOf(hostile.gateway)).length,
    (open) => open === 0,
  );
  const ends = endsIn(ledgerOf(hostile.gateway));
  for (const [requestId, { name, completeness, outcome }] of outcomes) {
    try {
      expectCharge(ends.get(requestId)!, completeness, outcome);
    } catch (error) {
      throw new Error(name, { cause: error });
    }
  }
});

test.serial("no redirect was followed", async () => {
  expect(await hostile.insideVisits()).toBe(0);
});

test.serial("the gateway had no internal error, and its log contains no secret", () => {
  const output = hostile.gateway.output();
  expect(output).not.toContain("canary-credential");
  expect(output).not.toMatch(/unhandled|internal_error/i);
  expect(output.split("\n").filter((line) => line !== "" && tryParse(line) === undefined)).toEqual([]);
});

test.skipIf(!HAS_PROC)("all cases together use bounded memory", () => {
  expect(peakResidentBytes(hostile.gateway.pid) - residentBefore).toBeLessThan(500 * MB);
});
