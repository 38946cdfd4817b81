import { describe, expect, test } from "bun:test";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { withDefaults, withoutGatewayTags } from "./with-defaults.ts";

const MESSAGES = [{ role: "user", content: "hé" }];

test("adds what the request does not have, in its text, its outline and its body", () => {
  const chat = withDefaults(chatOf({ model: "m", messages: MESSAGES, top_p: 0.5 }), { temperature: 0.2, top_p: 1, stop: ["é"] });
  const expected = { model: "m", messages: MESSAGES, top_p: 0.5, temperature: 0.2, stop: ["é"] };
  expect([JSON.parse(chat.text), chat.outline, chat.body]).toEqual([expected, expected, expected]);
  expect(chat.fields.map(({ key, valueStart, valueEnd }) => [key, chat.byteText.slice(valueStart, valueEnd)])).toContainEqual([
    "temperature",
    "0.2",
  ]);
  expect([chat.model, chat.stream, chat.messages]).toEqual(["m", false, MESSAGES]);
});

test("treats null as not given, and leaves one field of the name", () => {
  const chat = withDefaults(chatOf({ model: "m", messages: MESSAGES, temperature: null }), { temperature: 0.2 });
  expect(JSON.parse(chat.text)).toEqual({ model: "m", messages: MESSAGES, temperature: 0.2 });
  expect(chat.fields.filter(({ key }) => key === "temperature")).toHaveLength(1);
});

test("a caller's output limit stands, whichever of the two names it has", () => {
  const chat = chatOf({ model: "m", messages: MESSAGES, max_completion_tokens: 9 });
  expect(withDefaults(chat, { max_tokens: 100 })).toBe(chat);
  expect(withDefaults(chatOf({ model: "m", messages: MESSAGES }), { max_tokens: 100 }).outline).toMatchObject({ max_tokens: 100 });
});

test("is the same request where it has all of them", () => {
  const chat = chatOf({ model: "m", messages: MESSAGES, temperature: 0 });
  expect(withDefaults(chat, { temperature: 0.2 })).toBe(chat);
});

describe("without the tags for the gateway", () => {
  test("metadata has its other fields, and is omitted if it has none", () => {
    const rest = withoutGatewayTags(chatOf({ model: "m", metadata: { tags: ["team:search"], trace: "t" }, messages: MESSAGES }));
    expect(JSON.parse(rest.text)).toEqual({ model: "m", metadata: { trace: "t" }, messages: MESSAGES });
    for (const tags of [["team:search"], []]) {
      const chat = withoutGatewayTags(chatOf({ model: "m", metadata: { tags }, messages: MESSAGES }));
      const expected = { model: "m", messages: MESSAGES };
      expect([JSON.parse(chat.text), chat.outline, chat.body]).toEqual([expected, expected, expected]);
      expect(chat.fields.map(({ key }) => key)).toEqual(["model", "messages"]);
      expect(withDefaults(chat, { top_p: 1 }).body).toEqual({ ...expected, top_p: 1 });
    }
  });

  test.each([{}, { tags: "team:search" }, { trace: "t" }, null])("metadata %j is passed on unchanged", (metadata) => {
    const chat = chatOf({ model: "m", metadata, messages: MESSAGES });
    expect(withoutGatewayTags(chat)).toBe(chat);
  });
});
