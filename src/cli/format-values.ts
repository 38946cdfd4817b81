import type { Caps, Key, Limits, Spent } from "../../platform-client/types.ts";

/** How the commands say what more than one of them shows. */

export function formatUsd(amount: string): string {
  return amount.startsWith("-") ? `-$${amount.slice(1)}` : `$${amount}`;
}

/** A rate as price lists have it: `$1`, `$0.60`, `$0.0375`. */
export function formatRate(perMillion: number): string {
  // Up to six decimals, which is what prices may have: a number this small would print itself as 1e-7.
  const text = perMillion.toFixed(6).replace(/\.?0+$/, "");
  return `$${/\.\d$/.test(text) ? `${text}0` : text}`;
}

/** What is remarked, a sentence in a line for each. */
export function formatSentences(remarks: readonly string[]): string {
  return remarks.map((remark) => `${remark.charAt(0).toUpperCase()}${remark.slice(1)}.\n`).join("");
}

export function formatNumber(number: number): string {
  return number.toLocaleString("en-US");
}

export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

/** `14 ms`, `1.2 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function formatDay(iso: string): string {
  return iso.slice(0, 10);
}

/** A moment to the second, as tables show it. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** The rows that accounts and keys have alike. */
export function describeSpending(spent: Spent, caps: Caps): string[][] {
  return [
    ["Spent today", spentOf(spent.day, caps.day)],
    ["Spent this month", spentOf(spent.month, caps.month)],
    ["Spent in total", spentOf(spent.total, caps.total)],
  ];
}

function spentOf(spent: string, cap: string | null | undefined): string {
  return `${formatUsd(spent)}${cap == null ? "" : ` of ${formatUsd(cap)}`}`;
}

export function describeLimits(limits: Limits): string {
  const all = [
    limits.requests_per_minute == null ? [] : `${formatCount(limits.requests_per_minute, "request")} a minute`,
    limits.tokens_per_minute == null ? [] : `${formatCount(limits.tokens_per_minute, "token")} a minute`,
    limits.concurrent_requests == null ? [] : `${formatCount(limits.concurrent_requests, "request")} at a time`,
  ].flat();
  return all.join(", ") || "none";
}

/** Who decides about a model or an upstream, where that is not the operators here. */
export function managedBy(who: "operator" | "file" | "environment"): string {
  return { operator: "operators, here", file: "the config file", environment: "what is found at the start" }[who];
}

export function stateOfKey(key: Key): string {
  if (key.active) return "active";
  return key.revoked_at === null ? "expired" : "revoked";
}
