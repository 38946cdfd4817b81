import { describe, expect, test } from "bun:test";
import { readMessage } from "../../../test/messages/read-message.ts";
import {
  blockDelta,
  blockStart,
  COUNTS,
  errorEvent,
  eventsOf,
  messageDelta,
  PING,
  START,
  STOP,
  text,
  thinking,
  toolUse,
} from "../../../test/dialects/messages-answers.ts";
import type { Deviation } from "../../models/deviation.ts";
import type { ApiError } from "../../requests/api-error.ts";
import { relayedError, RelayedMessageEvents } from "./messages-relay.ts";

type Json = Record<string, unknown>;

interface Relayed {
  readonly events: RelayedMessageEvents;
  readonly sent: Json[];
  readonly reported: Deviation[];
}

function relay(...list: readonly Json[]): Relayed {
  const reported: Deviation[] = [];
  const events = new RelayedMessageEvents({
    model: "public",
    upstreamModel: "theirs",
    credential: undefined,
    report: (deviation) => void reported.push(deviation),
  });
  const sent: string[] = [];
  for (const event of list) events.take(JSON.stringify(event), sent);
  return { events, sent: parsed(sent), reported };
}

const parsed = (events: readonly string[]): Json[] => events.map((event) => JSON.parse(event) as Json);

/** Everything that a client receives of a stream that is charged as the upstream has counted. */
function received(...list: readonly Json[]): Json[] {
  const { events, sent } = relay(...list);
  events.requireFinished();
  return [...sent, ...parsed(events.lastChunks()), ...parsed(events.endEvents(events.usage!))];
}

const NAMED = { ...START, message: { ...START.message, model: "public" } };
const CONTENT = [thinking("Hm."), text("Hello world"), toolUse("toolu_1", "run", { a: 1 })];

test("every event arrives as it was, with the public name of the model", () => {
  const [, ...rest] = eventsOf(CONTENT, "tool_use");
  expect(received(...eventsOf(CONTENT, "tool_use"))).toEqual([NAMED, ...rest]);
  expect(readMessage(received(...eventsOf(CONTENT, "tool_use"))).content).toEqual(CONTENT);
});

test("events of types that nobody knows arrive, too", () => {
  const tomorrow = { type: "thinking_token_count", tokens: 5 };
  expect(received(START, tomorrow, messageDelta("end_turn"), STOP)).toEqual([NAMED, tomorrow, messageDelta("end_turn"), STOP]);
});

test("an event over several lines arrives in one", () => {
  const { events } = relay(START);
  const sent: string[] = [];
  events.take('{"type":"content_block_start",\n"index":0,"content_block":{"type":"text","text":""}}', sent);
  expect(sent.at(-1)).toBe('{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}');
});

test.each([
  ["an HTML page", 403, "<html><title>403 Forbidden</title></html>"],
  ["another format", 400, '{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}'],
  ["nothing", 400, ""],
  ["more than the reason", 400, JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "a".repeat(9000) } })],
  ["a failure of the upstream", 500, '{"type":"error","error":{"type":"api_error","message":"no"}}'],
])("an error reply with %s is not passed on as it is", (_, status, body) => {
  expect(relayedError(status, body)).toBeUndefined();
});

test.each([undefined, null, 5, "", "message_stop\n\nevent: message_stop"])(
  "an event of type %j is a broken response: the type names the frame",
  (type) => {
    expect(() => relay(START, { type })).toThrow("could not be understood");
  },
);

describe("the start", () => {
  test("is held until there is content", () => {
    expect(relay(START, PING).sent).toEqual([]);
    expect(relay(START, PING, blockStart(0, text(""))).sent).toEqual([NAMED, PING, blockStart(0, text(""))]);
  });

  test("of a response without content is not lost", () => {
    expect(received(START, messageDelta("end_turn"), STOP)).toEqual([NAMED, messageDelta("end_turn"), STOP]);
  });

  test("is sent once, if the upstream sends two", () => {
    const { sent, reported } = relay(START, START, blockStart(0, text("")));
    expect([sent, reported]).toEqual([[NAMED, blockStart(0, text(""))], ["event_unexpected"]]);
  });

  test("that is missing is a broken response", () => {
    expect(() => relay(blockStart(0, text("")))).toThrow("could not be understood");
  });
});

describe("the end", () => {
  test("is held until the charge is durable", () => {
    const { sent } = relay(...eventsOf(CONTENT));
    expect(sent.map(({ type }) => type)).not.toContainAnyValues(["message_delta", "message_stop"]);
  });

  test("without message_stop gets one, because the stop reason is known", () => {
    expect(received(...eventsOf(CONTENT).slice(0, -1)).at(-1)).toEqual(STOP);
  });

  test("without a stop reason is a truncated response", () => {
    const { events } = relay(...eventsOf(CONTENT).slice(0, -2));
    expect(() => events.requireFinished()).toThrow("broke off");
  });

  test("has the counts that are charged, if they are not the upstream's", () => {
    const { events } = relay(...eventsOf(CONTENT));
    const charged = { promptTokens: 9, completionTokens: 4, cachedTokens: 1, cacheWriteTokens: 0, reasoningTokens: 0 };
    const [delta, stop] = parsed(events.endEvents(charged));
    expect(delta).toMatchObject({ usage: { input_tokens: 8, cache_read_input_tokens: 1, output_tokens: 4 } });
    expect(stop).toEqual(STOP);
  });

  test("of a stopped response closes its open blocks first", () => {
    const { events } = relay(START, blockStart(0, text("")), blockDelta(0, { type: "text_delta", text: "Hello" }));
    expect(parsed(events.closingChunks())).toEqual([{ type: "content_block_stop", index: 0 }]);
    expect(parsed(events.endEvents({ ...events.usage!, completionTokens: 3 }))).toMatchObject([
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 3 } },
      STOP,
    ]);
    expect(parsed(events.endEvents(events.usage!))).toMatchObject([{ usage: { input_tokens: 10 } }, STOP]);
  });
});

describe("a response that the gateway stops", () => {
  test("signs its open thinking, so that the next request does not send it to the API", () => {
    const started = [START, blockStart(0, { type: "thinking", thinking: "", signature: "" })];
    const { events } = relay(...started, blockDelta(0, { type: "thinking_delta", thinking: "Hm" }));
    expect(parsed(events.closingChunks())).toEqual([
      blockDelta(0, { type: "signature_delta", signature: "tollgate" }),
      { type: "content_block_stop", index: 0 },
    ]);
    const signed = relay(...started, blockDelta(0, { type: "signature_delta", signature: "c2ln" }));
    expect(parsed(signed.events.closingChunks())).toEqual([{ type: "content_block_stop", index: 0 }]);
  });

  test("after its end stays as the upstream has ended it", () => {
    const { events } = relay(START, blockStart(0, text("")), { type: "content_block_stop", index: 0 }, messageDelta("end_turn"));
    expect(events.closingChunks()).toEqual([]);
    expect(parsed(events.endEvents(events.usage!))).toMatchObject([{ delta: { stop_reason: "end_turn" } }, STOP]);
  });
});

describe("token counts", () => {
  test("never fall, and a later zero erases nothing", () => {
    const zeros = Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0]));
    const { events } = relay(START, messageDelta(null, COUNTS), messageDelta("end_turn", zeros), STOP);
    expect(events.usage).toMatchObject({ promptTokens: 15, cachedTokens: 3, cacheWriteTokens: 2, completionTokens: 7 });
  });

  test("may come with message_delta only", () => {
    const silent = { ...START, message: { ...START.message, usage: undefined } };
    const { events } = relay(silent, blockStart(0, text("")), messageDelta("end_turn"), STOP);
    expect(events.usage).toMatchObject({ promptTokens: 15, completionTokens: 7 });
  });

  test("do not cover what arrived after them", () => {
    const { events } = relay(START, blockStart(0, text("")), blockDelta(0, { type: "text_delta", text: "Hello" }));
    expect([events.uncountedBytes, events.isOutputUncounted]).toEqual([5, true]);
  });

  test("that are missing at the end are reported", () => {
    const { events, reported } = relay(
      START,
      blockStart(0, text("")),
      blockDelta(0, { type: "text_delta", text: "Hello" }),
      messageDelta("end_turn", null),
      STOP,
    );
    events.requireFinished();
    expect(reported).toEqual(["usage_missing"]);
  });
});

test.each([
  ["overloaded_error", "failed"],
  ["rate_limit_error", "busy"],
  ["api_error", "failed"],
])("an error event of type %s is a fault of the upstream", (type, kind) => {
  let thrown: unknown;
  try {
    relay(START, errorEvent(type));
  } catch (error) {
    thrown = error;
  }
  expect((thrown as ApiError).fault?.kind).toBe(kind as "failed");
});
