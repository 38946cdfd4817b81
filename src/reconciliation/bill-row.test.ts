import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../test/support/long.ts";
import { formatPicos } from "../money/money.ts";
import { parsePicos } from "./bill-row.ts";

test.each([
  ["0", 0n],
  ["12.5", 12_500_000_000_000n],
  ["-0.03", -30_000_000_000n],
  // Numbers in the format of exports.
  ["0.003835980000000000000000000000", 3_835_980_000n],
  ["0.000004500000000000000000000000000000000", 4_500_000n],
  ["0E-6176", 0n],
  ["1.5E-7", 150_000n],
  ["2e3", 2_000_000_000_000_000n],
  // An amount finer than any price.
  ["0.0000000000004", 0n],
  ["0.0000000000005", 1n],
  ["1e-9999", 0n],
] as [string, bigint][])("%s dollars", (text, picos) => expect(parsePicos(text)).toBe(picos));

test.each(["", " 1", "1,000.00", "$1", "1.", ".5", "NaN", "Infinity", "0x10", "1e99999", "1e13", "9".repeat(61), "1.2.3", "--1"])(
  "%j is not an amount",
  (text) => expect(parsePicos(text)).toBeUndefined(),
);

test("parses full decimals exactly, and any text without a crash", () => {
  const most = 10n ** 24n - 1n;
  fc.assert(
    fc.property(fc.bigInt({ min: -most, max: most }), (picos) => expect(parsePicos(formatPicos(picos))).toBe(picos)),
    runs(300),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^-?[\d.eE+-]{0,12}$/), (text) => expect(["bigint", "undefined"]).toContain(typeof parsePicos(text))),
    runs(300),
  );
});
