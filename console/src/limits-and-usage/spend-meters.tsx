import type { ReactNode } from "react";
import { share } from "../parts/format/dollars.ts";
import { money, spentOf } from "../parts/format/format.ts";
import { Meter } from "../parts/meter.tsx";
import type { Spent } from "../../../platform-client/types.ts";
import { SPEND_CAPS } from "../../../src/money/limits.ts";
import type { Caps } from "./access-policy.ts";

/** The caps follow the calendar in UTC, whatever the time zone of the charts beside them. */
const LABELS = { day: "Today (UTC)", month: "This month (UTC)", total: "Total" } as const;

/** The spend per calendar day and month (UTC) and in total, against the spend caps. */
export function SpendMeters({ spent, caps }: { readonly spent: Spent; readonly caps: Caps }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      {SPEND_CAPS.map(({ name }) => {
        const cap = caps[name];
        return (
          <Meter
            key={name}
            label={LABELS[name]}
            text={cap === null ? `${money(spent[name])}, no spend cap` : spentOf(spent[name], cap)}
            share={cap === null ? undefined : share(spent[name], cap)}
          />
        );
      })}
    </div>
  );
}
