import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_PROC, peakResidentBytes, residentBytes } from "../streams/process-facts.ts";
import { allCases } from "./all-cases.ts";
import { expectCharge, expectOutcome } from "./expect-outcome.ts";
import { answered, type Outcome } from "./hostile-case.ts";
import { startHostile, type Hostile } from "./start-hostile.ts";

const MB = 1024 * 1024;
/** Memory for one response: its own limit, and copies of it in the gateway. */
const MAX_PER_RESPONSE = 150 * MB;
/** Memory for any number of responses: the 256 MB that they share, and uncollected garbage. */
const MAX_FOR_ALL = 900 * MB;

let hostile: Hostile;

beforeAll(async () => {
  hostile = await startHostile((each) => each.isHuge === true);
});

afterAll(() => hostile.stop());

for (const [place, each] of allCases().entries()) {
  if (!each.isHuge) continue;
  for (const stream of [false, true]) {
    const outcome = stream ? each.stream : each.json;
    if (!outcome) continue;
    for (const endpoint of ENDPOINTS) {
      const kind = stream ? "a stream" : "a JSON response";
      test(`${endpoint.path}: ${kind} uses bounded memory when the upstream sends ${each.name}`, async () => {
        const took = await memoryOf(() => runCase(place, stream, endpoint, outcome));
        expect(took).toBeLessThan(MAX_PER_RESPONSE);
      });
    }
  }
}

async function runCase(place: number, stream: boolean, endpoint: ModelEndpoint, outcome: Outcome): Promise<void> {
  const reply = await hostile.ask(place, stream, endpoint);
  const completeness = expectOutcome(reply, outcome);
  expectOutcome(await hostile.ask("good", stream), answered());
  await eventually(
    () => openIn(ledgerOf(hostile.gateway)).length,
    (open) => open === 0,
  );
  expectCharge(endsIn(ledgerOf(hostile.gateway)).get(reply.requestId)!, completeness, outcome);
}

test("rejects 24 concurrent endless responses at the shared memory limit, while ordinary requests succeed", async () => {
  const place = allCases().findIndex(({ name }) => name === "a JSON answer without end");
  const took = await memoryOf(async () => {
    const asking = Array.from({ length: 24 }, () => hostile.ask(place, false));
    const good = await Promise.all(Array.from({ length: 50 }, () => hostile.ask("good", false)));
    for (const each of good) expectOutcome(each, answered());
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([502, 503]));
  });
  expect(took).toBeLessThan(MAX_FOR_ALL);
});

/** The peak of the gateway's memory during the work, minus its memory before. 0 if the system does not report it. */
async function memoryOf(work: () => Promise<void>): Promise<number> {
  if (!HAS_PROC) return work().then(() => 0);
  const { pid } = hostile.gateway;
  // Linux: resets the peak.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = residentBytes(pid);
  await work();
  return peakResidentBytes(pid) - before;
}
