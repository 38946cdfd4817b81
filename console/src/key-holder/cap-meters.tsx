import type { ReactNode } from "react";
import { RATE_LIMITS, type RateLimit } from "../../../src/money/limits.ts";
import { dollarsOf, nanosOf, share } from "../parts/format/dollars.ts";
import { count, moment, spentOf, exactMoney } from "../parts/format/format.ts";
import { Meter } from "../parts/meter.tsx";
import type { KeyUsage, LimitState, PerPart, Settings } from "./key-view.ts";

const PERIODS = { day: "Today (UTC)", month: "This month (UTC)", total: "Total" } as const;

/** The spend caps and the spend under them. For caps per end user and tag, the spend is not shown. */
export function CapMeters({ caps, settings }: Pick<KeyUsage, "caps" | "settings">): ReactNode {
  const parts = capsPerPart(settings);
  if (caps.length === 0 && parts.length === 0) return <p className="text-ink-3">No spend caps</p>;
  return (
    <div className="flex flex-col gap-3">
      {caps.map(({ scope, period, cap, remaining, resets_at: resetsAt }) => {
        const spent = dollarsOf(nanosOf(cap)! - nanosOf(remaining)!);
        return (
          <div key={`${scope} ${period}`} title={resetsAt === null ? undefined : `Resets at ${moment(resetsAt)}`}>
            <Meter
              label={`${PERIODS[period]}, ${scope === "key" ? "this key" : "whole account"}`}
              text={spentOf(spent, cap)}
              share={share(spent, cap)}
            />
          </div>
        );
      })}
      {parts.map(({ label, text }) => (
        <Meter key={label} label={label} text={text} share={undefined} />
      ))}
    </div>
  );
}

/** The rate limits and their current usage. */
export function LimitMeters({ of }: { readonly of: KeyUsage }): ReactNode {
  const { limits, settings, concurrent_requests: concurrent } = of;
  const most = concurrent === null ? [] : [count(concurrent)];
  return (
    <div className="flex flex-col gap-3">
      {RATE_LIMITS.map((limit) => {
        const isWindow = "windowMs" in limit;
        const parts = [...(isWindow ? [] : most), ...limitsPerPart(settings, limit.name)];
        return <LimitMeter key={limit.name} label={limit.label} state={isWindow ? limits[limit.what] : null} parts={parts} />;
      })}
    </div>
  );
}

interface LimitMeterProps {
  readonly label: string;
  readonly state: LimitState | null;
  /** Limits without current usage, as text. */
  readonly parts: readonly string[];
}

function LimitMeter({ label, state, parts }: LimitMeterProps): ReactNode {
  if (!state) return <Meter label={label} text={parts.join("; ") || "No limit"} share={undefined} />;
  const used = Math.max(0, state.limit - state.remaining);
  const text = [`${count(used)} of ${count(state.limit)} used`, ...parts].join("; ");
  return <Meter label={label} text={text} share={Math.min(1, used / state.limit)} />;
}

/** The rate limits of each end user and of each value of a tag: "20 per end user", "60 per value of team, whole account". */
function limitsPerPart(settings: KeyUsage["settings"], rate: RateLimit["name"]): string[] {
  return scopesOf(settings).flatMap(([{ limits }, whose]) =>
    partsOf(limits).flatMap(([whom, part]) => {
      const limit = part[rate];
      return limit === null ? [] : [`${count(limit)} ${whom}${whose === "this key" ? "" : `, ${whose}`}`];
    }),
  );
}

/** The spend caps of each end user and of each value of a tag: to whom they apply, and "$0.10 a day, $2.00 a month". */
function capsPerPart(settings: KeyUsage["settings"]): { readonly label: string; readonly text: string }[] {
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
