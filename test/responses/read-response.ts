import { expect } from "bun:test";

type Json = Readonly<Record<string, unknown>>;

interface OpenItem {
  readonly item: Json;
  text: string;
}

const DELTAS: Readonly<Record<string, string>> = {
  "response.output_text.delta": "response.output_text.done",
  "response.refusal.delta": "response.refusal.done",
  "response.reasoning_summary_text.delta": "response.reasoning_summary_text.done",
  "response.function_call_arguments.delta": "response.function_call_arguments.done",
  "response.custom_tool_call_input.delta": "response.custom_tool_call_input.done",
};

const DONE_TEXT: Readonly<Record<string, string>> = {
  "response.output_text.done": "text",
  "response.refusal.done": "refusal",
  "response.reasoning_summary_text.done": "text",
  "response.function_call_arguments.done": "arguments",
  "response.custom_tool_call_input.done": "input",
};

/**
 * Reads the events of a response as strictly as a client could: one start, one end, nothing after it, sequence numbers without gaps, items
 * opened once and closed once, and deltas that add up to the item. Calls of an incomplete response may stay open, and are then not in its
 * output. Returns the response.
 */
export function readResponse(events: readonly Json[]): Json {
  expect(events.map(({ sequence_number: sequence }) => sequence)).toEqual(events.map((_, at) => at));
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
  const last = events.at(-1)!;
  expect(["response.completed", "response.incomplete"]).toContain(last["type"] as string);
  const open = new Map<unknown, OpenItem>();
  const closed: Json[] = [];
  for (const event of events.slice(2, -1)) readEvent(event, open, closed);
  const cut = last["type"] === "response.incomplete" ? /_call$/ : /^$/;
  expect([...open.values()].map(({ item }) => item["type"]).filter((type) => !cut.test(String(type)))).toEqual([]);
  const response = last["response"] as Json;
  expect(response["output"]).toEqual(closed.filter(Boolean));
  const started = events[0]!["response"] as Json;
  expect([response["id"], response["model"], response["created_at"]]).toEqual([started["id"], started["model"], started["created_at"]]);
  const { input_tokens: input, output_tokens: output } = response["usage"] as Json;
  expect([typeof input, typeof output]).toEqual(["number", "number"]);
  return response;
}

function readEvent(event: Json, open: Map<unknown, OpenItem>, closed: Json[]): void {
  const { type, output_index: at, item, item_id: id, delta } = event;
  if (type === "response.output_item.added") {
    expect(at).toBe(open.size + closed.filter(Boolean).length);
    open.set(at, { item: item as Json, text: "" });
  } else if (type === "response.output_item.done") {
    expect((item as Json)["id"]).toBe(open.get(at)!.item["id"]);
    expect((item as Json)["type"]).toBe(open.get(at)!.item["type"]);
    open.delete(at);
    closed[Number(at)] = item as Json;
  } else {
    const known = open.get(at)!;
    expect(known.item["id"]).toBe(id);
    if (typeof type === "string" && type in DELTAS) known.text += String(delta);
    else if (typeof type === "string" && type in DONE_TEXT) {
      expect(event[DONE_TEXT[type]!]).toBe(known.text);
      known.text = "";
    } else expect(String(type)).toMatch(/^response\.(content_part|reasoning_summary_part)\.(added|done)$/);
  }
}

/** The events of a body of server-sent events. Each must be named after its type. */
export function eventsIn(body: string): Json[] {
  const frames = body.split("\n\n").filter((frame) => frame !== "" && !frame.startsWith(":"));
  return frames.map((frame) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    const event = JSON.parse(data!) as Json;
    expect(event["type"]).toBe(name);
    return event;
  });
}
