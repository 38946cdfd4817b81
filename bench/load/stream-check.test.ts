import { expect, test } from "bun:test";
import { StreamCheck, type StreamOutcome } from "./stream-check.ts";
import { planOf } from "./stream-plan.ts";

const MODEL = "sse-3-10";
const PLAN = planOf(MODEL)!;
const EVENTS = [...PLAN.events, ...PLAN.end(PLAN.count, true)].map(String);

function outcomeOf(body: string): StreamOutcome {
  let outcome: StreamOutcome | undefined;
  const check = new StreamCheck(MODEL, { onText: () => {}, onOutcome: (seen) => (outcome = seen) });
  check.onHead(200);
  check.onBody(Buffer.from(body), 0);
  check.onEnd();
  return outcome!;
}

test("the upstream's bytes are a whole stream", () => {
  expect(outcomeOf(EVENTS.join(""))).toMatchObject({ problem: null, isIdentical: true, texts: 3, comments: 0 });
});

test("a comment directly before a data line does not hide the data", () => {
  const outcome = outcomeOf(EVENTS.map((event) => `: keep-alive\n${event}`).join(""));
  expect(outcome).toMatchObject({ problem: null, isIdentical: false, texts: 3, comments: EVENTS.length });
});

test("comments on their own and other fields beside data are allowed", () => {
  const outcome = outcomeOf(`: hello\n\n${EVENTS.map((event) => `id: 1\n${event}`).join("")}`);
  expect(outcome).toMatchObject({ problem: null, texts: 3, comments: 1 });
});

test("an event that is serialized again is compared by its meaning", () => {
  const again = EVENTS.map((event) => event.replace(/\{.*\}/, (json) => JSON.stringify({ extra: true, ...(JSON.parse(json) as object) })));
  expect(outcomeOf(again.join(""))).toMatchObject({ problem: null, isIdentical: false, changedEvents: EVENTS.length - 1 });
});

test("a missing text, an event without data and a stream without [DONE] are problems, with comments too", () => {
  const commented = EVENTS.map((event) => `: comment\n${event}`);
  expect(outcomeOf(commented.toSpliced(2, 1).join("")).problem).toBe("a text that is wrong or out of place");
  expect(outcomeOf(commented.toSpliced(2, 0, "event: ping\n\n").join("")).problem).toBe("an event without data");
  expect(outcomeOf(commented.slice(0, -1).join("")).problem).toBe("no [DONE]");
});
