import type { Caps, Key, Limits, PeriodCaps, RateLimits, Spent } from "../../../platform-client/types.ts";
import { describeLimit, PERIOD_CAPS, RATE_LIMITS } from "../../money/limits.ts";

/** Formats of values that several commands show. */

export function formatUsd(amount: string): string {
  return amount.startsWith("-") ? `-$${amount.slice(1)}` : `$${amount}`;
}

/** A price per million tokens: `$1`, `$0.60`, `$0.0375`. */
export function formatRate(perMillion: number): string {
  // Prices have up to six decimals; toString would print 1e-7.
  const text = perMillion.toFixed(6).replace(/\.?0+$/, "");
  return `$${/\.\d$/.test(text) ? `${text}0` : text}`;
}

/** One sentence per line. */
export function formatSentences(remarks: readonly string[]): string {
  return remarks.map((remark) => `${remark.charAt(0).toUpperCase()}${remark.slice(1)}.\n`).join("");
}

export function formatNumber(number: number): string {
  return number.toLocaleString("en-US");
}

export function formatCount(count: number, noun: string, nouns = `${noun}s`): string {
  return `${formatNumber(count)} ${count === 1 ? noun : nouns}`;
}

/** `287 KB`, `182 MB`, `1.4 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes > 0 && bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
  return bytes < 999_500_000 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
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

/** A time to the second. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}

/** Spending and spend caps, of accounts and keys. */
export function describeSpending(spent: Spent, caps: Caps): string[][] {
  return [
    ["Spent today", spentOf(spent.day, caps.day)],
    ["Spent this month", spentOf(spent.month, caps.month)],
    ["Spent in total", spentOf(spent.total, caps.total)],
  ];
}

function spentOf(spent: string, cap: string | null): string {
  return `${formatUsd(spent)}${cap === null ? "" : ` of ${formatUsd(cap)} cap`}`;
}

function describeLimits(limits: NonNullable<RateLimits>): string {
  const all = RATE_LIMITS.flatMap((limit) => {
    const amount = limits[limit.name];
    return amount == null ? [] : [describeLimit(limit, amount, formatNumber(amount))];
  });
  return all.join(", ") || "none";
}

/** The rate limits of accounts and keys, with the limits and spend caps per end user and per value of a tag. */
export function describeRestrictions({ limits, caps }: { readonly limits: Limits; readonly caps: Caps }): string[][] {
  const own = describeLimits(limits);
  const parts = describeParts(limits, caps);
  return own === "none" && parts.length > 0 ? parts : [["Limits", own], ...parts];
}

function describeParts(limits: Limits, caps: Caps): string[][] {
  const tags = new Set([...Object.keys(limits.per_tag ?? {}), ...Object.keys(caps.per_tag ?? {})]);
  return [
    ["Each end user", describePart(limits.per_user, caps.per_user)],
    ...[...tags].map((name) => [`Each value of ${name}`, describePart(limits.per_tag?.[name], caps.per_tag?.[name])]),
  ].filter(([, part]) => part !== "");
}

function describePart(limits: RateLimits | null | undefined, caps: PeriodCaps | null | undefined): string {
  return [
    limits ? describeLimits(limits) : [],
    PERIOD_CAPS.flatMap(({ name, label }) => (caps?.[name] == null ? [] : [`${formatUsd(caps[name])} cap ${label.toLowerCase()}`])),
  ]
    .flat()
    .join(", ");
}

/** Where a model, an upstream or an account is managed. */
export function managedBy(who: "operator" | "file" | "environment" | "wildcard"): string {
  return { operator: "operators", file: "config file", environment: "discovery at startup", wildcard: "wildcard model" }[who];
}

export function stateOfKey(key: Key): string {
  if (key.archived_at !== null) return "archived";
  return key.state === "active" && !key.active ? "account archived" : key.state;
}
