import { expect, test } from "bun:test";
import { createLog, formatAsJson, formatForTerminal } from "./log.ts";

test("lines wait for each other, and flush puts them out", () => {
  const written: string[] = [];
  const log = createLog(
    (text) => written.push(text),
    (_, facts) => JSON.stringify(facts),
  );
  log.write({ a: 1 });
  log.write({ b: 2 });
  expect(written).toEqual([]);
  log.flush();
  log.flush();
  expect(written).toEqual(['{"a":1}\n{"b":2}\n']);
});

test("a line cannot be forged from inside: one record, one line, no control characters", () => {
  const facts = { method: "GET", path: "/x", status: 200, duration_ms: 3, model: 'a\n{"forged":true}\u001b[2J' };
  expect(formatAsJson(new Date(0), facts).split("\n")).toHaveLength(1);
  expect(formatAsJson(new Date(0), facts)).not.toContain("\u001b");
  expect(formatForTerminal(new Date(0), facts)).toBe('00:00:00 GET /x 200 3ms model=a?{"forged":true}?[2J');
});
