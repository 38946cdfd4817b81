import type { UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { formatCount, formatNumber, formatUsd } from "../../format/format-values.ts";
import { terminalWidth } from "../../output.ts";
import { wrap } from "../../format/wrap.ts";

/** The groups of `--by`. */
export const GROUPS = [
  "hour",
  "day",
  "hour_of_week",
  "model",
  "key",
  "account",
  "upstream",
  "user",
  "conversation",
  "endpoint",
  "tag:NAME",
] as const;
export type Group = Exclude<(typeof GROUPS)[number], "tag:NAME"> | `tag:${string}`;

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** The names of a row of any report about usage. */
export type NamedRow = Pick<
  UsageRow,
  Exclude<Group, `tag:${string}` | "hour_of_week"> | "weekday" | "hour_of_day" | "tag" | "key_name" | "is_partial" | "is_other"
>;

/** The value of a row in one group. */
export function nameOf(row: NamedRow, group: Group): string {
  if (group === "hour_of_week") return `${WEEKDAYS[row.weekday! - 1]} ${String(row.hour_of_day).padStart(2, "0")}:00`;
  return row[isTag(group) ? "tag" : group] ?? (row.is_other ? "(other)" : "(none)");
}

/** Whether the names of a group belong to an account. */
export function isAttribution(group: Group): boolean {
  return group === "user" || group === "conversation" || isTag(group);
}

function isTag(group: Group): group is `tag:${string}` {
  return group.startsWith("tag:");
}

/** Replaces key IDs by names. Keys with the same name keep their ID in parentheses. */
export function withKeyNames<Of extends Pick<UsagePage, "data">>(page: Of): Of {
  const idsByName = new Map<string, Set<string>>();
  for (const { key, key_name: name } of page.data) if (key && name) idsByName.set(name, (idsByName.get(name) ?? new Set()).add(key));
  const data = page.data.map((row) => {
    const { key, key_name: name } = row;
    if (!key || !name) return row;
    return { ...row, key: idsByName.get(name)!.size > 1 ? `${name} (${key})` : name };
  });
  return { ...page, data };
}

/** The total, the range and the time zone. */
export function summarize({ total, ...range }: UsagePage): string {
  const failed = total.failed === 0 ? "" : `, ${formatNumber(total.failed)} failed`;
  return describeRange(`Total: ${formatCount(total.requests, "request")}${failed}, ${formatUsd(total.cost)}`, range);
}

/** A sentence with the range and the time zone of a report. */
export function describeRange(what: string, { from, to, zone }: Pick<UsagePage, "from" | "to" | "zone">): string {
  const sentence = `${what}, from ${formatInZone(from, zone)} to ${formatInZone(to, zone)}, ${zone}.`;
  return wrap(sentence, terminalWidth() ?? Infinity)
    .map((line) => `${line}\n`)
    .join("");
}

function formatInZone(moment: string, timeZone: string): string {
  return new Date(moment).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
}
