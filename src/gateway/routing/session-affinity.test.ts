import { describe, expect, test } from "bun:test";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { affinity, sessionOf } from "./session-affinity.ts";

type Message = Record<string, unknown>;

const system = { role: "system", content: "Be brief. ".repeat(1000) };
const user = (content: unknown): Message => ({ role: "user", content });

function conversation(messages: readonly Message[], more: object = {}, account = "acme"): bigint {
  return sessionOf(chatOf({ messages, ...more }), account);
}

describe("a session", () => {
  test("is the same as its conversation continues", () => {
    const first = conversation([system, user("Hello")]);
    const later = conversation([system, user("Hello"), { role: "assistant", content: "Hi" }, user("And?")]);
    expect(later).toBe(first);
  });

  test("differs by the first user message, behind a system prompt of any length", () => {
    expect(conversation([system, user("Hello")])).not.toBe(conversation([system, user("Good day")]));
  });

  test("differs by the system prompt and by the account", () => {
    const here = conversation([system, user("Hello")]);
    expect(conversation([{ ...system, content: "Be long." }, user("Hello")])).not.toBe(here);
    expect(conversation([system, user("Hello")], {}, "globex")).not.toBe(here);
  });

  test("is that of prompt_cache_key, where the client sets it", () => {
    const named = { prompt_cache_key: "thread-7" };
    expect(conversation([user("one")], named)).toBe(conversation([user("other")], named));
    expect(conversation([user("one")], named)).not.toBe(conversation([user("one")], { prompt_cache_key: "thread-8" }));
  });

  test("is identified by the text of its messages, also in content parts", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const first = conversation([user([{ type: "text", text: "What is this?" }, image])]);
    expect(first).not.toBe(conversation([user([{ type: "text", text: "And this?" }, image])]));
  });

  test("is identified by all of its messages where there is no user message", () => {
    expect(conversation([{ role: "system", content: "one" }])).not.toBe(conversation([{ role: "system", content: "two" }]));
  });
});

function placeOf(id: number, among: Readonly<Record<string, number>>): string {
  const drawn = Object.entries(among).map(([place, weight]) => [place, affinity(Bun.hash.wyhash(String(id)), place, weight)] as const);
  return drawn.toSorted(([, one], [, other]) => other - one)[0]![0];
}

describe("rendezvous hashing", () => {
  const places = { big: 3, small: 1, other: 1 };

  test("spreads sessions by weight", () => {
    const counts: Record<string, number> = { big: 0, small: 0, other: 0 };
    for (let id = 0; id < 10_000; id++) counts[placeOf(id, places)]!++;
    expect(counts["big"]! / 10_000).toBeWithin(0.58, 0.62);
    expect(counts["small"]! / 10_000).toBeWithin(0.18, 0.22);
  });

  test("moves only the sessions of a removed target, and moves them back when it returns", () => {
    const { small: _gone, ...rest } = places;
    for (let id = 0; id < 2000; id++) {
      const before = placeOf(id, places);
      if (before !== "small") expect(placeOf(id, rest)).toBe(before);
    }
  });
});
