import type { PriceList } from "../../../../platform-client/types.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";

/** The current price of the models that a list does not name. */
export function otherModels({ percents }: Pick<PriceList, "percents">, nowMs: number): string {
  const inForce = percents.findLast(({ effective_at: at }) => Date.parse(at) <= nowMs);
  return inForce ? `${inForce.percent}% of the base price` : "Base price";
}

/** The date from which a version applies; "initial" for the first version. */
export function formatEffectiveDate(effectiveAt: string): string {
  return Date.parse(effectiveAt) === 0 ? "initial" : calendarDay(effectiveAt);
}
