import { afterAll, beforeAll, expect, test } from "bun:test";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_PROC, peakResidentBytes, residentBytes } from "../streams/process-facts.ts";
import { allCases } from "./all-cases.ts";
import { holdToCharge, holdToOutcome, type Came } from "./expect-outcome.ts";
import { answered, type Outcome } from "./hostile-case.ts";
import { startHostile, type Hostile } from "./start-hostile.ts";

const MB = 1024 * 1024;

let hostile: Hostile;
let residentBefore = 0;
/** What each request was to come to, and did, by its id. */
const asked = new Map<string, { name: string; came: Came; outcome: Outcome }>();

beforeAll(async () => {
  hostile = await startHostile((each) => !each.isHuge);
  if (HAS_PROC) residentBefore = residentBytes(hostile.gateway.pid);
});

afterAll(() => hostile.stop());

for (const [place, each] of allCases().entries()) {
  if (each.isHuge) continue;
  for (const stream of [false, true]) {
    const outcome = stream ? each.stream : each.json;
    if (!outcome) continue;
    tryOut(place, stream, `${stream ? "a stream" : "a JSON answer"} ends clearly: ${each.name}`, outcome, each.isSlow ?? false);
  }
}

/** Asks a hostile upstream, and a good one right after. */
function tryOut(place: number, stream: boolean, name: string, outcome: Outcome, isSlow: boolean): void {
  test.concurrent(name, async () => {
    const { requestId, came } = await askAndHold(place, stream, outcome, isSlow);
    asked.set(requestId, { name, came, outcome });
    const good = await askAndHold("good", stream, answered(), false);
    asked.set(good.requestId, { name: `after ${name}`, came: good.came, outcome: answered() });
  });
}

/**
 * Asks, and asks again where a machine that stalls may have made another outcome of it: a call with short timeouts may meet another
 * of them than the one it is about, and a stream that is kept alive before its first word has its refusal in a frame.
 */
async function askAndHold(
  place: number | "good",
  stream: boolean,
  outcome: Outcome,
  isSlow: boolean,
  times = 5,
): Promise<{ requestId: string; came: Came }> {
  const told = await hostile.ask(place, stream);
  try {
    return { requestId: told.requestId, came: holdToOutcome(told, outcome) };
  } catch (error) {
    const mayBeLate = isSlow || told.text.startsWith(": keep-alive");
    if (!mayBeLate || times === 1) throw error;
    return askAndHold(place, stream, outcome, isSlow, times - 1);
  }
}

test.serial("an answer that nobody asked for is not the next caller's", async () => {
  const place = allCases().findIndex(({ name }) => name === "a second answer nobody asked for");
  for (let time = 0; time < 10; time++) holdToOutcome(await hostile.ask(place, time % 2 === 0), answered());
});

test.serial("each request has ended once, and is charged for what came of it", async () => {
  await eventually(
    () => openIn(ledgerOf(hostile.gateway)).length,
    (open) => open === 0,
  );
  const ends = endsIn(ledgerOf(hostile.gateway));
  for (const [requestId, { name, came, outcome }] of asked) {
    try {
      holdToCharge(ends.get(requestId)!, came, outcome);
    } catch (error) {
      throw new Error(name, { cause: error });
    }
  }
});

test.serial("nobody went where redirects pointed", async () => {
  expect(await hostile.insideVisits()).toBe(0);
});

test.serial("the gateway has failed nowhere itself, and its log tells no secret", () => {
  const output = hostile.gateway.output();
  expect(output).not.toContain("canary-credential");
  expect(output).not.toMatch(/unhandled|internal_error/i);
  expect(output.split("\n").filter((line) => line !== "" && !isJson(line))).toEqual([]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!HAS_PROC)("all of it together took bounded memory", () => {
  expect(peakResidentBytes(hostile.gateway.pid) - residentBefore).toBeLessThan(500 * MB);
});
