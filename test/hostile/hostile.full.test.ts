import { afterAll, beforeAll, expect, test } from "bun:test";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { eventually } from "../support/eventually.ts";
import { isLong } from "../support/long.ts";
import { HAS_PROC, peakResidentBytes, residentBytes } from "../streams/process-facts.ts";
import { allCases } from "./all-cases.ts";
import { expectCharge, expectOutcome, type Completeness } from "./expect-outcome.ts";
import { answered, isRelayed, type HostileCase, type Outcome } from "./hostile-case.ts";
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
    for (const endpoint of endpointsFor(each, place)) {
      const kind = stream ? "a stream" : "a JSON response";
      const name = `${endpoint.path}: ${kind} has a defined outcome when the upstream sends ${each.name}`;
      runCase({ place, stream, endpoint, isSlow: each.isSlow ?? false, isRelayed: isRelayed(each, endpoint) }, name, outcome);
    }
  }
}

/** Chat completions, and one of the other endpoints; in the long run all of them. A relay is always tested. */
function endpointsFor(each: HostileCase, place: number): readonly ModelEndpoint[] {
  const [chat, ...others] = ENDPOINTS as [ModelEndpoint, ...ModelEndpoint[]];
  if (isLong) return ENDPOINTS;
  return [chat, others.find((endpoint) => isRelayed(each, endpoint)) ?? others[place % others.length]!];
}

/** A request: the case that it calls, and how. */
interface Asked {
  readonly place: number | "good";
  readonly stream: boolean;
  readonly endpoint: ModelEndpoint;
  readonly isSlow: boolean;
  readonly isRelayed: boolean;
}

/** Sends a request to a hostile upstream, and then, at chat completions, a request to a good upstream. */
function runCase(asked: Asked, name: string, outcome: Outcome): void {
  test.concurrent(name, async () => {
    const { requestId, completeness } = await askAndExpect(asked, outcome);
    outcomes.set(requestId, { name, completeness, outcome });
    if (asked.endpoint !== ENDPOINTS[0]) return;
    const good = await askAndExpect({ ...asked, place: "good", isSlow: false, isRelayed: false }, answered());
    outcomes.set(good.requestId, { name: `after ${name}`, completeness: good.completeness, outcome: answered() });
  });
}

/**
 * Retries if a slow machine may have changed the outcome. With short timeouts, a call may run into a different timeout than the tested one. A
 * stream that has sent a keep-alive comment before its first token reports its error in a frame.
 */
async function askAndExpect(asked: Asked, outcome: Outcome, times = 5): Promise<{ requestId: string; completeness: Completeness }> {
  const { place, stream, endpoint, isSlow } = asked;
  const reply = await hostile.ask(place, stream, endpoint);
  try {
    return { requestId: reply.requestId, completeness: expectOutcome(reply, outcome, asked.isRelayed) };
  } catch (error) {
    const mayBeLate = isSlow || /^(?:: keep-alive|event: ping)\n/.test(reply.text);
    if (!mayBeLate || times === 1) throw error;
    return askAndExpect(asked, outcome, times - 1);
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
