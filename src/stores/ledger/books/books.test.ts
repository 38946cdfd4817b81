import { expect, test } from "bun:test";
import { grant, hold, settlement, USAGE } from "../../../../test/support/money/ledger-samples.ts";
import type { SettleEntry } from "../../../money/ledger-entry.ts";
import { Books } from "./books.ts";

test("takeChangedSpenders returns each changed account and key once, and none for a hold", () => {
  const books = new Books(() => []);
  const moved = (): string[] => books.takeChangedSpenders().map(({ scope, id }) => `${scope} ${id}`);
  books.add({ id: 1, ...grant(9n) });
  expect(moved()).toEqual(["account acme"]);
  const { requestId, ...held } = hold("r", 2n);
  books.add({ kind: "hold", id: 2, requestId, ...held });
  expect(moved()).toEqual([]);
  const { upstream, attempts, provenance } = settlement(2n);
  const ended = {
    kind: "settle",
    ...held,
    requestId,
    holdId: 2,
    unchargedNanos: 0n,
    usage: USAGE,
    upstream,
    upstreamModel: undefined,
    attempts,
    provenance,
  } as const;
  for (const id of [3, 4]) books.add({ ...ended, id } satisfies SettleEntry);
  expect([moved(), moved()]).toEqual([["account acme", "key key-1"], []]);
});
