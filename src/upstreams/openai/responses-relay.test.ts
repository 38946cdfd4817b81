import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { readResponse } from "../../../test/responses/read-response.ts";
import { responsesRelay } from "./responses-relay.ts";

type Json = Readonly<Record<string, unknown>>;

const RESPONSE = { id: "resp_1", object: "response", created_at: 1, status: "in_progress", model: "theirs", output: [], usage: null };
const CHARGED = { promptTokens: 9, completionTokens: 4, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const START = [
  { type: "response.created", response: RESPONSE },
  { type: "response.in_progress", response: RESPONSE },
];

/** What a client receives of a stream that the gateway stops after these events. */
function stopped(...events: readonly Json[]): Json[] {
  const translator = responsesRelay.readEvents({
    model: "public",
    upstreamModel: "theirs",
    credential: undefined,
    report: () => undefined,
    mayBeStopped: true,
  });
  const sent: string[] = [];
  for (const [at, { type, ...fields }] of [...START, ...events].entries()) {
    translator.take(JSON.stringify({ type, sequence_number: at, ...fields }), sent);
  }
  const last = [...translator.closingChunks("length"), ...translator.endEvents(CHARGED, {})];
  return [...sent, ...last].map((event) => JSON.parse(event) as Json);
}

const added = (at: number, item: Json): Json => ({ type: "response.output_item.added", output_index: at, item });
const done = (at: number, item: Json): Json => ({ type: "response.output_item.done", output_index: at, item });
const within = (at: number, id: string, type: string, fields: Json): Json => ({ type, item_id: id, output_index: at, ...fields });

const MESSAGE = { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] };
const PART = { type: "output_text", text: "", annotations: [], logprobs: [] };
const REASONING = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "ZW5j" };

describe("a response that the gateway stops", () => {
  test("closes the open text, part and message, and lists every item", () => {
    const events = stopped(
      added(0, { ...REASONING, encrypted_content: "" }),
      done(0, REASONING),
      added(1, MESSAGE),
      within(1, "msg_1", "response.content_part.added", { content_index: 0, part: PART }),
      within(1, "msg_1", "response.output_text.delta", { content_index: 0, delta: "Hel" }),
      within(1, "msg_1", "response.output_text.delta", { content_index: 0, delta: "lo" }),
    );
    const response = readResponse(events);
    const content = [{ ...PART, text: "Hello" }];
    expect(response["output"]).toEqual([REASONING, { ...MESSAGE, status: "incomplete", content }]);
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, model: "public" });
    expect(response["usage"]).toMatchObject({ input_tokens: 9, output_tokens: 4 });
    expect(events.slice(-4).map(({ type }) => type)).toEqual([
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.incomplete",
    ]);
    expect(events.at(-3)).toMatchObject({ item_id: "msg_1", output_index: 1, content_index: 0, part: { text: "Hello" } });
  });

  test("closes parts that are open together with those before them", () => {
    const refusal = { type: "refusal", refusal: "" };
    const events = stopped(
      added(0, MESSAGE),
      within(0, "msg_1", "response.content_part.added", { content_index: 0, part: PART }),
      within(0, "msg_1", "response.output_text.delta", { content_index: 0, delta: "A" }),
      within(0, "msg_1", "response.output_text.done", { content_index: 0, text: "A" }),
      within(0, "msg_1", "response.content_part.done", { content_index: 0, part: { ...PART, text: "A", annotations: [{ url: "u" }] } }),
      within(0, "msg_1", "response.content_part.added", { content_index: 1, part: refusal }),
      within(0, "msg_1", "response.refusal.delta", { content_index: 1, delta: "No" }),
    );
    expect(readResponse(events)["output"]).toMatchObject([
      {
        content: [
          { type: "output_text", text: "A", annotations: [{ url: "u" }] },
          { type: "refusal", refusal: "No" },
        ],
      },
    ]);
    expect(events.slice(-4, -2).map(({ type }) => type)).toEqual(["response.refusal.done", "response.content_part.done"]);
  });

  test("closes a summary of reasoning, and no call whose arguments have not all arrived", () => {
    const call = { id: "fc_1", type: "function_call", status: "in_progress", call_id: "call_1", name: "run", arguments: "" };
    const custom = { id: "ctc_1", type: "custom_tool_call", status: "in_progress", call_id: "call_2", name: "edit", input: "" };
    const search = { id: "tsc_1", type: "tool_search_call", status: "in_progress", call_id: "call_3", execution: "client", arguments: {} };
    const whole = { ...call, id: "fc_2", call_id: "call_4", status: "completed", arguments: "{}" };
    const open = { id: "rs_1", type: "reasoning", summary: [] };
    const events = stopped(
      added(0, open),
      within(0, "rs_1", "response.reasoning_summary_part.added", { summary_index: 0, part: { type: "summary_text", text: "" } }),
      within(0, "rs_1", "response.reasoning_summary_text.delta", { summary_index: 0, delta: "Hm." }),
      added(1, call),
      within(1, "fc_1", "response.function_call_arguments.delta", { delta: '{"a":' }),
      added(2, custom),
      within(2, "ctc_1", "response.custom_tool_call_input.delta", { delta: "***" }),
      added(3, search),
      added(4, { ...whole, status: "in_progress", arguments: "" }),
      done(4, whole),
    );
    expect(readResponse(events)["output"]).toEqual([{ ...open, summary: [{ type: "summary_text", text: "Hm." }] }, whole]);
    expect(events.filter(({ type }) => String(type).endsWith(".done")).map(({ output_index: at }) => at)).toEqual([4, 0, 0, 0]);
  });

  test("closes text whose part the upstream has not opened", () => {
    const events = stopped(added(0, MESSAGE), within(0, "msg_1", "response.output_text.delta", { content_index: 0, delta: "Hi" }));
    expect(readResponse(events)["output"]).toMatchObject([{ content: [{ type: "output_text", text: "Hi" }] }]);
  });

  test.each([true, false])("is held for its end only if it may be stopped: %p", (mayBeStopped) => {
    const held = (): number => {
      Bun.gc(true);
      return heapStats().heapSize;
    };
    const before = held();
    const open = Array.from({ length: 20 }, (_, at) => {
      const relayed = responsesRelay.readEvents({
        model: "public",
        upstreamModel: "theirs",
        credential: undefined,
        report: () => undefined,
        mayBeStopped,
      });
      const tools = Array.from({ length: 2_000 }, (__, index) => ({ type: "function", name: `tool_${at}_${index}` }));
      relayed.take(JSON.stringify({ type: "response.created", response: { ...RESPONSE, tools } }), []);
      relayed.take(JSON.stringify(within(0, "msg_1", "response.output_text.delta", { content_index: 0, delta: "A" })), []);
      return relayed;
    });
    expect(held() - before > 1_000_000).toBe(mayBeStopped);
    expect(open).toHaveLength(20);
  });

  test("before its first content has a start and an end", () => {
    expect(readResponse(stopped())).toMatchObject({ status: "incomplete", output: [] });
  });

  test("after its end stays as the upstream has ended it", () => {
    const content = [{ ...PART, text: "Hi" }];
    const item = { ...MESSAGE, status: "completed", content };
    const ended = { ...RESPONSE, status: "completed", output: [item], usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 } };
    const response = readResponse(stopped(added(0, MESSAGE), done(0, item), { type: "response.completed", response: ended }));
    expect(response).toMatchObject({ status: "completed", output: [item] });
  });
});
