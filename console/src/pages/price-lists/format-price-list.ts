import type { PriceList } from "../../../../platform-client/types.ts";
import { calendarDay } from "../../parts/format/calendar-day.ts";

/** The price of models that a list does not name, at the moment. */
export function otherModels({ percents }: Pick<PriceList, "percents">, nowMs: number): string {
  const inForce = percents.findLast(({ effective_at: at }) => Date.parse(at) <= nowMs);
  return inForce ? `${inForce.percent}% of the base price` : "Base price";
}

/** A date from which something applies; one without a start has none. */
export function since(effectiveAt: string): string {
  return Date.parse(effectiveAt) === 0 ? "initial" : calendarDay(effectiveAt);
}
