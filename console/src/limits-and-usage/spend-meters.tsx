import type { ReactNode } from "react";
import { share } from "../parts/dollars.ts";
import { exactMoney, money } from "../parts/format.ts";
import { Meter } from "../parts/meter.tsx";
import type { Spent } from "../../../platform-client/types.ts";
import { CAPS, type Caps } from "./access-policy.ts";

const LABELS = { day: "Today", month: "This month", total: "Total" } as const;

/** The spend per calendar day and month (UTC) and in total, against the spend caps. */
export function SpendMeters({ spent, caps }: { readonly spent: Spent; readonly caps: Caps }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      {CAPS.map(({ name }) => {
        const cap = caps[name];
        return (
          <Meter
            key={name}
            label={LABELS[name]}
            text={cap === null ? `${amount(spent[name])}, no spend cap` : `${amount(spent[name])} of ${exactMoney(cap)}`}
            share={cap === null ? undefined : share(spent[name], cap)}
          />
        );
      })}
    </div>
  );
}

/** Small amounts are exact: rounded to the cent they could read as all of a small cap. */
function amount(dollars: string): string {
  return Number(dollars) < 1 ? exactMoney(dollars) : money(dollars);
}
