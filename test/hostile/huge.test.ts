import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { endsIn, ledgerOf, openIn } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { HAS_PROC, peakResidentBytes, residentBytes } from "../streams/process-facts.ts";
import { allCases } from "./all-cases.ts";
import { holdToCharge, holdToOutcome } from "./expect-outcome.ts";
import { answered, type Outcome } from "./hostile-case.ts";
import { startHostile, type Hostile } from "./start-hostile.ts";

const MB = 1024 * 1024;
/** For one reply: what it may have itself, and what is made of it on the way. */
const ROOM = 150 * MB;
/** For any number of replies: the 256 MB that they may hold together, and what has not been collected yet. */
const ROOM_FOR_ALL = 900 * MB;

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
    test(`a caller gets ${stream ? "a stream" : "JSON"} or a clear error, and the gateway keeps little: ${each.name}`, async () => {
      const took = await memoryOf(() => tryOut(place, stream, outcome));
      expect(took).toBeLessThan(ROOM);
    });
  }
}

async function tryOut(place: number, stream: boolean, outcome: Outcome): Promise<void> {
  const told = await hostile.ask(place, stream);
  const came = holdToOutcome(told, outcome);
  holdToOutcome(await hostile.ask("good", stream), answered());
  await eventually(
    () => openIn(ledgerOf(hostile.gateway)).length,
    (open) => open === 0,
  );
  holdToCharge(endsIn(ledgerOf(hostile.gateway)).get(told.requestId)!, came, outcome);
}

test("answers without an end, two dozen at a time, are refused before they take the memory of all, and usual ones are not", async () => {
  const place = allCases().findIndex(({ name }) => name === "a JSON answer without end");
  const took = await memoryOf(async () => {
    const asking = Array.from({ length: 24 }, () => hostile.ask(place, false));
    const good = await Promise.all(Array.from({ length: 50 }, () => hostile.ask("good", false)));
    for (const each of good) holdToOutcome(each, answered());
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([502, 503]));
  });
  expect(took).toBeLessThan(ROOM_FOR_ALL);
});

/** How much more memory the gateway had at a time than before. Nothing where the system does not tell. */
async function memoryOf(work: () => Promise<void>): Promise<number> {
  if (!HAS_PROC) return work().then(() => 0);
  const { pid } = hostile.gateway;
  // Linux: forgets the highest mark.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = residentBytes(pid);
  await work();
  return peakResidentBytes(pid) - before;
}
