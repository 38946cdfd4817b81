import { expect, test } from "bun:test";
import { parseJson } from "../http/read-json.ts";
import { hasCacheTtl, hasHourTtl, isHourBreakpoint, withoutCacheTtl } from "./cache-ttl.ts";

const breakpoint = (ttl: unknown): object => ({ cache_control: { type: "ephemeral", ttl } });

const IN_PLACES: readonly ((ttl: unknown) => object)[] = [
  (ttl) => breakpoint(ttl),
  (ttl) => ({ messages: [{ role: "user", content: "Hello!", ...breakpoint(ttl) }] }),
  (ttl) => ({ messages: [{ role: "user", content: [{ type: "text", text: "x".repeat(100_000), ...breakpoint(ttl) }] }] }),
  (ttl) => ({ tools: [{ type: "function", function: { name: "look", ...breakpoint(ttl) } }] }),
];

test("the ttl is found wherever a breakpoint can be", () => {
  for (const place of IN_PLACES) {
    const body = (ttl: unknown, text = JSON.stringify(place(ttl))) => parseJson(Buffer.from(text));
    expect([hasCacheTtl(body("1h")), hasHourTtl(body("1h"))]).toEqual([true, true]);
    expect([hasCacheTtl(body("5m")), hasHourTtl(body("5m"))]).toEqual([true, false]);
    expect([hasCacheTtl(body(undefined)), hasHourTtl(body(undefined))]).toEqual([false, false]);
    expect(JSON.stringify(withoutCacheTtl(place("1h")))).toBe(JSON.stringify(place(undefined)));
    const escaped = JSON.stringify(place("1h")).replace('"ttl"', '"t\\u0074l"');
    expect([hasCacheTtl(body("1h", escaped)), hasHourTtl(body("1h", escaped))]).toEqual([true, true]);
  }
});

test("a ttl outside a breakpoint is not read", () => {
  const body = { metadata: { ttl: "1h" }, tools: [{ function: { parameters: { properties: { ttl: { type: "string" } } } } }] };
  expect(withoutCacheTtl(body)).toBe(body);
  expect(hasHourTtl(parseJson(Buffer.from(JSON.stringify(body))))).toBe(false);
});

test("only an hour is longer than the default", () => {
  for (const cacheControl of [undefined, null, "1h", {}, { ttl: 3600 }, { ttl: "2h" }]) expect(isHourBreakpoint(cacheControl)).toBe(false);
  expect(isHourBreakpoint({ type: "ephemeral", ttl: "1h" })).toBe(true);
});
