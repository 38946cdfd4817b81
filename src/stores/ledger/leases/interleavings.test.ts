import { describe, expect, test } from "bun:test";
import { INTERLEAVINGS } from "../../../../test/lease-model/interleavings.ts";
import { LeaseHistory } from "../../../../test/lease-model/play-history.ts";

describe("no lease is overspent and no charge is lost or made twice when", () => {
  for (const [name, commands, reached] of INTERLEAVINGS) {
    test(name, async () => {
      const seen = await LeaseHistory.play(commands);
      expect(reached.filter((what) => !seen.has(what))).toEqual([]);
    });
  }
});
