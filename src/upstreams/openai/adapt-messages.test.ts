import { expect, test } from "bun:test";
import type { Quirks } from "../../models/preset.ts";
import { presetOf } from "../../models/presets.ts";
import { adaptMessages } from "./adapt-messages.ts";

const mistral = presetOf("mistral").quirks!;
const deepseek = presetOf("deepseek").quirks!;
const xai = presetOf("xai").quirks!;

type Message = Record<string, unknown>;

const cases: [string, Quirks, Message, Message][] = [
  [
    "a field that is refused in every message",
    mistral,
    { role: "assistant", content: "a", reasoning_content: "b" },
    { role: "assistant", content: "a" },
  ],
  ["a name where only tools have one", mistral, { role: "user", content: "a", name: "ann" }, { role: "user", content: "a" }],
  ["a name where only users have one", xai, { role: "assistant", content: "a", name: "bot" }, { role: "assistant", content: "a" }],
  ["a developer where there is none", deepseek, { role: "developer", content: "a" }, { role: "system", content: "a" }],
  [
    "text in parts",
    deepseek,
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b", cache_control: {} },
      ],
    },
    { role: "user", content: "a\nb" },
  ],
];
test.each(cases)("adapts %s", (_, quirks, message, wanted) => {
  const before = { role: "user", content: "untouched" };
  expect(adaptMessages({ messages: [before, message] }, quirks)).toEqual([before, wanted]);
});

const untouched: [string, Quirks, Message][] = [
  ["a name of a tool, at a server that takes those", mistral, { role: "tool", content: "a", tool_call_id: "abcDEF123", name: "f" }],
  ["a name of a user, at a server that takes those", xai, { role: "user", content: "a", name: "ann" }],
  ["reasoning, at a server that wants it back", deepseek, { role: "assistant", content: "a", reasoning_content: "b" }],
  [
    "an image",
    deepseek,
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "https://a.test" } },
      ],
    },
  ],
  ["an id that fits", mistral, { role: "assistant", content: null, tool_calls: [{ id: "abcDEF123", type: "function" }] }],
  ["everything, at a server without quirks", {}, { role: "developer", content: [{ type: "text", text: "a" }], name: "n" }],
];
test.each(untouched)("does not change %s", (_, quirks, message) => {
  expect(adaptMessages({ messages: [message] }, quirks)).toBeUndefined();
});

test("shortens tool call ids, and a call and its result still match", () => {
  const calls = ["call_abcdefghijklmnopqrstuvwx", "abcDEF123", "toolu_01"].map((id) => ({ id, type: "function", function: { name: "f" } }));
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "done" }));
  const changed = adaptMessages({ messages: [{ role: "assistant", content: null, tool_calls: calls }, ...results] }, mistral)!;
  const ids = (changed[0]!["tool_calls"] as { id: string }[]).map(({ id }) => id);
  expect(changed.slice(1).map((message) => message["tool_call_id"])).toEqual(ids);
  expect(ids[1]).toBe("abcDEF123");
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z\d]{9}$/);
  // The next turn of the conversation, handled by another process, gets the same ids.
  expect(adaptMessages({ messages: [results[0]!] }, mistral)).toEqual([{ ...results[0]!, tool_call_id: ids[0] }]);
});
