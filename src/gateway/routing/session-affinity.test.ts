import { describe, expect, test } from "bun:test";
import { chatOf } from "../../../test/upstream-call.ts";
import { affinity, sessionOf } from "./session-affinity.ts";

type Message = Record<string, unknown>;

const system = { role: "system", content: "Be brief. ".repeat(1000) };
const user = (content: unknown): Message => ({ role: "user", content });

function conversation(messages: readonly Message[], more: object = {}, account = "acme"): bigint {
  return sessionOf(chatOf({ messages, ...more }), account);
}

describe("a conversation", () => {
  test("is the same one as it goes on", () => {
    const first = conversation([system, user("Hello")]);
    const later = conversation([system, user("Hello"), { role: "assistant", content: "Hi" }, user("And?")]);
    expect(later).toBe(first);
  });

  test("is another for another first question, behind however long a system prompt", () => {
    expect(conversation([system, user("Hello")])).not.toBe(conversation([system, user("Good day")]));
  });

  test("is another for another system prompt, and for another account", () => {
    const here = conversation([system, user("Hello")]);
    expect(conversation([{ ...system, content: "Be long." }, user("Hello")])).not.toBe(here);
    expect(conversation([system, user("Hello")], {}, "globex")).not.toBe(here);
  });

  test("goes by the name of the prompt cache, where the caller gives one", () => {
    const named = { prompt_cache_key: "thread-7" };
    expect(conversation([user("one")], named)).toBe(conversation([user("other")], named));
    expect(conversation([user("one")], named)).not.toBe(conversation([user("one")], { prompt_cache_key: "thread-8" }));
  });

  test("is told by its text, whether that comes alone or in parts", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const first = conversation([user([{ type: "text", text: "What is this?" }, image])]);
    expect(first).not.toBe(conversation([user([{ type: "text", text: "And this?" }, image])]));
  });

  test("is told by all of its messages where none is the user's", () => {
    expect(conversation([{ role: "system", content: "one" }])).not.toBe(conversation([{ role: "system", content: "two" }]));
  });
});

function placeOf(id: number, among: Readonly<Record<string, number>>): string {
  const drawn = Object.entries(among).map(([place, weight]) => [place, affinity(Bun.hash.wyhash(String(id)), place, weight)] as const);
  return drawn.toSorted(([, one], [, other]) => other - one)[0]![0];
}

describe("conversations are drawn", () => {
  const places = { big: 3, small: 1, other: 1 };

  test("to places by their weights", () => {
    const counts: Record<string, number> = { big: 0, small: 0, other: 0 };
    for (let id = 0; id < 10_000; id++) counts[placeOf(id, places)]!++;
    expect(counts["big"]! / 10_000).toBeWithin(0.58, 0.62);
    expect(counts["small"]! / 10_000).toBeWithin(0.18, 0.22);
  });

  test("elsewhere only where their own place is gone, and back when it is there again", () => {
    const { small: _gone, ...rest } = places;
    for (let id = 0; id < 2000; id++) {
      const before = placeOf(id, places);
      if (before !== "small") expect(placeOf(id, rest)).toBe(before);
    }
  });
});
