import { count, exactMoney } from "../parts/format/format.ts";
import type { KeyUsage, PerPart, Settings } from "./key-view.ts";

type Rate = "requests_per_minute" | "tokens_per_minute" | "concurrent_requests";

/** The rate limits of each end user and of each value of a tag: "20 per end user", "60 per value of team, whole account". */
export function limitsPerPart(settings: KeyUsage["settings"], rate: Rate): string[] {
  return scopesOf(settings).flatMap(([{ limits }, whose]) =>
    partsOf(limits).flatMap(([whom, part]) => {
      const limit = part[rate];
      return limit === null ? [] : [`${count(limit)} ${whom}${whose === "this key" ? "" : `, ${whose}`}`];
    }),
  );
}

/** The spend caps of each end user and of each value of a tag: whose, and "$0.10 a day, $2.00 a month". */
export function capsPerPart(settings: KeyUsage["settings"]): { readonly label: string; readonly text: string }[] {
  return scopesOf(settings).flatMap(([{ caps }, whose]) =>
    partsOf(caps).map(([whom, { day, month }]) => ({
      label: `${whom.charAt(0).toUpperCase()}${whom.slice(1)}, ${whose}`,
      text: [...(day === null ? [] : [`${exactMoney(day)} a day`]), ...(month === null ? [] : [`${exactMoney(month)} a month`])].join(", "),
    })),
  );
}

function scopesOf({ key, account }: KeyUsage["settings"]): (readonly [Settings, "this key" | "whole account"])[] {
  return [[key, "this key"], ...(account === null ? [] : [[account, "whole account"] as const])];
}

function partsOf<Part>({ per_user: perUser, per_tag: perTag }: PerPart<Part>): (readonly [whom: string, part: Part])[] {
  const ofTags = Object.entries(perTag ?? {}).map(([name, part]) => [`per value of ${name}`, part] as const);
  return [...(perUser === null ? [] : [["per end user", perUser] as const]), ...ofTags];
}
