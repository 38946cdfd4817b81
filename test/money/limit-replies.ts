import { expect } from "bun:test";
import type { NamedRates } from "../../src/money/limits.ts";
import type { Reply } from "./post-chat.ts";

/** Limits in the format of the platform. */
export type WireLimits = Partial<NamedRates>;

/** A duration in Go's format, in milliseconds; NaN if Go would not parse it. */
export function goMs(text: string | null): number {
  if (text === null || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return Number.NaN;
  const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce((sum, [, size, unit]) => sum + Number(size) * unitMs[unit!]!, 0);
}

export function remaining({ headers }: { headers: Headers }, what: "requests" | "tokens"): number {
  return Number(headers.get(`x-ratelimit-remaining-${what}`) ?? Number.NaN);
}

export function limitHeaders({ headers }: { headers: Headers }): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("x-ratelimit-")).toSorted();
}

export function namesFor(...whats: ("requests" | "tokens")[]): string[] {
  return whats.flatMap((what) => ["limit", "remaining", "reset"].map((name) => `x-ratelimit-${name}-${what}`)).toSorted();
}

export function expectTooMany(reply: Reply, words: string): void {
  expect({ status: reply.status, code: reply.code }).toEqual({ status: 429, code: "rate_limit_exceeded" });
  expect(JSON.parse(reply.text)).toMatchObject({
    error: { type: "rate_limit_error", param: null, message: expect.stringContaining(words) },
  });
  expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d?$/);
  expect(Number(reply.headers.get("retry-after"))).toBeLessThan(60);
  expect(reply.headers.has("x-should-retry")).toBe(false);
}
