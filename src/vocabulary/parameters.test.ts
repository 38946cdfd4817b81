import { describe, expect, test } from "bun:test";
import { carriedBody, carry, droppedToTell, namesInHeader, type ParameterRules } from "./parameters.ts";
import { cpuMsOf } from "../../test/cpu-time.ts";

const RULES: ParameterRules = { byName: { n: "refuse", seed: "pass", old: { rename: "new" } }, others: "drop" };

describe("how parameters travel", () => {
  test("the operator's word comes before the server's, and the server's before the rule for all others", () => {
    expect(carry({ seed: 1, hint: 2, old: 3 }, RULES, {})).toEqual({ dropped: ["hint"], renamed: { old: "new" } });
    expect(carry({ seed: 1, hint: 2, old: 3 }, RULES, { seed: "drop", hint: "pass", old: "drop" })).toEqual({
      dropped: ["seed", "old"],
      renamed: {},
    });
  });

  test("what must not be left out in silence is refused by its name, unless it asks for nothing", () => {
    expect(() => carry({ n: 2 }, RULES, {})).toThrow(expect.objectContaining({ code: "unsupported_parameter", param: "n" }));
    expect(carry({ n: 1 }, RULES, {}).dropped).toEqual(["n"]);
    expect(carry({ n: null }, RULES, {}).dropped).toEqual(["n"]);
    expect(carry({ n: 2 }, RULES, { n: "drop" }).dropped).toEqual(["n"]);
  });

  test("what a request is about is not touched, by whatever policy", () => {
    const body = { model: "m", messages: [], stream: true, stream_options: {} };
    expect(carry(body, { byName: {}, others: "drop" }, { model: "drop" })).toEqual({ dropped: [], renamed: {} });
  });

  test("names that every object has are names like any other", () => {
    const body = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}') as Record<string, unknown>;
    expect(carry(body, RULES, {}).dropped).toEqual(["__proto__", "constructor", "toString"]);
    expect(carry({ toString: 3 }, { byName: {}, others: "pass" }, {}).dropped).toEqual([]);
  });

  test("a dialect that translates gets what is carried, by its new name", () => {
    const body = { seed: 1, hint: 2, old: 3, gone: null };
    expect(carriedBody(body, carry(body, RULES, {}))).toEqual({ seed: 1, new: 3 });
  });
});

describe("what the caller is told", () => {
  test("is what was dropped although it said something", () => {
    expect(droppedToTell({ dropped: ["n", "seed", "user"], renamed: {} }, { n: 1, seed: 7, user: null })).toEqual(["seed"]);
  });

  test("fits into a header, whatever the names are and however many", () => {
    expect(namesInHeader(["seed", "x.y-z"])).toBe("seed, x.y-z");
    expect(namesInHeader(["seed", "é€", "a\r\nb: c", "", "x".repeat(65)])).toBe("seed, ...");
    const many = namesInHeader(Array.from({ length: 3000 }, (_, at) => `p${at}`));
    expect(many).toEndWith(", p19, ...");
    expect(() => new Headers({ x: many })).not.toThrow();
  });
});

test("a hundred thousand fields that nobody knows do not hold everybody up", () => {
  const body = { seed: 5, ...Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`made_up_${at}`, at])) };
  expect(carriedBody(body, carry(body, RULES, {}))).toEqual({ seed: 5 });
  // With a look at all of them for each it took 46 s.
  expect(cpuMsOf(() => void carriedBody(body, carry(body, RULES, {})))).toBeLessThan(5_000);
}, 300_000);
