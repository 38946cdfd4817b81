import { expect, test } from "bun:test";
import { exceptionFrame, eventFrame } from "../../../test/dialects/converse-frames.ts";
import { invokeFrames } from "../../../test/dialects/converse-server.ts";
import {
  COUNTS,
  errorEvent,
  eventsOf,
  messageDelta,
  START,
  STOP,
  text,
  thinking,
  toolUse,
} from "../../../test/dialects/messages-answers.ts";
import { readMessage } from "../../../test/messages/read-message.ts";
import type { Deviation } from "../../models/deviation.ts";
import { EventStreamReader } from "../streams/event-stream-reader.ts";
import type { RelayedCall } from "../upstream.ts";
import { InvokeModelEvents, invokeModelRelay } from "./invoke-model.ts";

type Json = Record<string, unknown>;

const CONTENT = [thinking("Hm."), text("Grüße, 漢字 🙂"), toolUse("toolu_1", "run", { a: 1 })];

interface Relayed {
  readonly events: InvokeModelEvents;
  readonly sent: string[];
  readonly reported: Deviation[];
}

/** The events of the frames, which arrive in these pieces. */
function relay(pieces: readonly Buffer[]): Relayed {
  const reported: Deviation[] = [];
  const events = new InvokeModelEvents({
    model: "public",
    upstreamModel: "m",
    credential: undefined,
    report: (deviation) => void reported.push(deviation),
  });
  const reader = new EventStreamReader();
  const sent: string[] = [];
  for (const piece of pieces) for (const frame of reader.feed(piece)) events.take(frame, sent);
  return { events, sent, reported };
}

function received({ events, sent }: Relayed): Json[] {
  events.requireFinished();
  return [...sent, ...events.lastChunks(), ...events.endEvents(events.usage!)].map((event) => JSON.parse(event) as Json);
}

const USAGE = { promptTokens: 15, completionTokens: 7, cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 0 };

test("frames that are split anywhere are the same events, without Bedrock's counts", () => {
  const bytes = Buffer.concat(invokeFrames(eventsOf(CONTENT, "tool_use")));
  const [start, ...rest] = eventsOf(CONTENT, "tool_use");
  const whole = [{ ...start, message: { ...(start!["message"] as Json), model: "public" } }, ...rest];
  expect(received(relay([...bytes].map((byte) => Buffer.of(byte))))).toEqual(whole);
  for (let at = 0; at <= bytes.length; at += 7) expect(received(relay([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(whole);
  expect(readMessage(whole).content).toEqual(CONTENT);
});

test("the results of the operator's guardrail do not reach the client, and nothing else changes", () => {
  const guarded = { "amazon-bedrock-guardrailAction": "NONE", "amazon-bedrock-trace": { guardrail: { id: "canary" } } };
  const [start, ...rest] = eventsOf(CONTENT);
  const relayed = relay(invokeFrames([{ ...start, ...guarded }, ...rest]));
  expect(JSON.stringify(received(relayed))).not.toMatch(/amazon|canary/);
  const input = '{"id":12345678901234567890,"amazon-bedrock-x":1}';
  const message = `{"id":"msg_1","model":"m","content":[{"type":"tool_use","id":"t","name":"run","input":${input}}],"usage":${JSON.stringify(COUNTS)}}`;
  const call = { model: "public", report: () => undefined } as unknown as RelayedCall;
  const { body } = invokeModelRelay.readCompletion(`${message.slice(0, -1)},${JSON.stringify(guarded).slice(1)}`, call, new Headers());
  expect(body).toBe(message.replace('"model":"m"', '"model":"public"'));
});

test("the model's own counts precede Bedrock's", () => {
  const { events, reported } = relay(invokeFrames([START, messageDelta("end_turn", { ...COUNTS, output_tokens: 8 }), STOP]));
  expect(events.usage).toEqual({ ...USAGE, completionTokens: 8 });
  expect(reported).toEqual([]);
});

test("Bedrock's counts are used if the model has reported none, and are written for the client", () => {
  const { usage: _usage, ...message } = START.message;
  const relayed = relay(invokeFrames([{ ...START, message }, ...eventsOf(CONTENT).slice(2, -2), messageDelta("end_turn", null), STOP]));
  expect([relayed.events.usage, relayed.events.uncountedBytes, relayed.events.isOutputUncounted]).toEqual([USAGE, 0, false]);
  expect(received(relayed).at(-2)!["usage"]).toEqual(COUNTS);
  expect(relayed.reported).toEqual(["usage_missing"]);
});

const chunkOf = (event: string): Buffer => eventFrame("chunk", { bytes: Buffer.from(event).toString("base64") });

test.each([
  ["an exception", exceptionFrame("throttlingException", { message: "wait" }), { fault: { kind: "busy" } }],
  [
    "an exception about the request",
    exceptionFrame("validationException", { message: "too bad" }),
    { code: "invalid_value", fault: undefined },
  ],
  ["an error event of the model", invokeFrames([errorEvent("overloaded_error")])[0]!, { fault: { kind: "failed" } }],
  [
    "a chunk that is nested too deeply",
    chunkOf(`{"type":"tomorrow","a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`),
    { fault: { kind: "broken" } },
  ],
  ["a chunk that is not JSON", chunkOf("{}1"), { fault: { kind: "broken" } }],
])("%s fails the stream", (_, frame, error) => {
  let thrown: unknown;
  try {
    relay([...invokeFrames([START]), frame]);
  } catch (failure) {
    thrown = failure;
  }
  expect(thrown).toMatchObject(error);
});

test("a frame of an unknown kind is a deviation, and the stream goes on", () => {
  const relayed = relay([...invokeFrames([START]), eventFrame("ping", {}), ...invokeFrames(eventsOf(CONTENT).slice(2))]);
  expect([readMessage(received(relayed)).content, relayed.reported]).toEqual([CONTENT, ["event_unexpected"]]);
});

test("a stream that is cut at any byte before its stop reason never looks complete", () => {
  const bytes = Buffer.concat(invokeFrames(eventsOf(CONTENT)));
  const finishedAt = bytes.length - invokeFrames([STOP])[0]!.length;
  for (let at = 0; at <= bytes.length; at++) {
    const { events } = relay([bytes.subarray(0, at)]);
    if (at < finishedAt) expect(() => events.requireFinished()).toThrow();
    else expect(() => events.requireFinished()).not.toThrow();
  }
});
