import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { histories } from "../../../../test/lease-model/commands.ts";
import { LeaseHistory } from "../../../../test/lease-model/play-history.ts";
import { runs } from "../../../../test/support/long.ts";

/** How often the histories must reach each situation, per thousand: a generator that never reaches a situation proves nothing about it. */
const REACHED_OF_A_THOUSAND: Readonly<Record<string, number>> = {
  "a hold from a widened slice": 600,
  "a hold refused by the authority": 400,
  "a hold at the owner": 200,
  "a batch sent again, with more in it": 400,
  "a lost reply": 40,
  "a crash": 200,
  "a crash with open holds": 100,
  "a crashed process recovered": 300,
  "a new owner": 200,
  "a new owner that does not know whose the open holds are": 100,
  "a restored database": 100,
  "no admission after the deadline": 100,
  "a settlement while the authority is away": 20,
  "a negative adjustment while credit is leased": 100,
  "an excess within the slice": 30,
  "an excess that was overdrawn": 80,
  "an excess that the account was spared": 50,
  "an account on its credit line": 15,
  "a credit line that was lowered": 50,
  "a settlement with an idempotent reply": 100,
  "a crash with an unconfirmed idempotent reply": 4,
  "a running process written off": 10,
  "a crashed process written off": 5,
  "changes of a process that was written off": 10,
};

test("in every history of processes and their authority, no lease is overspent and no charge is lost or made twice", async () => {
  const reached = new Map<string, number>();
  const parameters = runs(600, 100_000);
  const once = fc.asyncProperty(histories, async (history) => {
    for (const what of await LeaseHistory.play(history)) reached.set(what, (reached.get(what) ?? 0) + 1);
  });
  await fc.assert(once, parameters);
  if (parameters.path !== undefined) return;
  const thousands = parameters.numRuns! / 1000;
  const missed = Object.entries(REACHED_OF_A_THOUSAND).filter(([what, least]) => (reached.get(what) ?? 0) < least * thousands);
  expect(missed.map(([what]) => [what, reached.get(what)])).toEqual([]);
  expect([...reached.keys()].filter((what) => !(what in REACHED_OF_A_THOUSAND))).toEqual([]);
}, 7_200_000);
