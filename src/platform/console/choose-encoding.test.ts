import { expect, test } from "bun:test";
import { chooseEncoding } from "./built-console.ts";

const CASES: readonly [accepted: string | null, chosen: string][] = [
  ["gzip, deflate, br, zstd", "br"],
  ["gzip, deflate", "gzip"],
  ["GZIP;Q=0.5", "gzip"],
  ["br;q=0.5, gzip", "gzip"],
  ["br;q=0.5, gzip;q=0.5", "br"],
  ["br;q=0, gzip;q=0", "identity"],
  ["identity, br;q=0.1", "identity"],
  ["*", "br"],
  ["br;q=0, *", "gzip"],
  ["*;q=0", "identity"],
  ["deflate", "identity"],
  ["br;q=nonsense", "identity"],
  ["", "identity"],
  [null, "identity"],
];

test("a client gets its preferred encoding, and among equals the smallest", () => {
  expect(CASES.map(([accepted]) => [accepted, chooseEncoding(accepted, () => true)])).toEqual(CASES.map((each) => [...each]));
});

test("a missing encoding is not chosen", () => {
  expect(chooseEncoding("br, gzip;q=0.5", (encoding) => encoding !== "br")).toBe("gzip");
  expect(chooseEncoding("br, gzip, identity;q=0", (encoding) => encoding === "identity")).toBe("identity");
});
