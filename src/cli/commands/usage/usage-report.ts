import type { UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { formatUsd } from "../../format-values.ts";
import { terminalWidth } from "../../output.ts";
import { wrap } from "../../wrap.ts";

/** What `by` can say. */
export const GROUPS = ["hour", "day", "model", "key", "account", "upstream"] as const;
export type Group = (typeof GROUPS)[number];

/** What a row is about, in one respect. */
export function nameOf(row: UsageRow, group: Group): string {
  return row[group] ?? "(none)";
}

/** The same with the names of keys in place of their ids. Where two have one name, the id stands behind it. */
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

/** What it comes to, of when, and by whose clock. */
export function summarize({ total, from, to, zone }: UsagePage): string {
  const failed = total.failed === 0 ? "" : `, ${total.failed.toLocaleString("en-US")} more failed`;
  const sentence = `In all ${total.requests.toLocaleString("en-US")} answered${failed}, ${formatUsd(total.cost)}, from ${formatInZone(from, zone)} to ${formatInZone(to, zone)}, ${zone}.`;
  return wrap(sentence, terminalWidth() ?? Infinity)
    .map((line) => `${line}\n`)
    .join("");
}

function formatInZone(moment: string, timeZone: string): string {
  return new Date(moment).toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
}
