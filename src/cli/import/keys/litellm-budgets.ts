import { isSet } from "./litellm-columns.ts";
import { dollarsOf, NO_PLANNED_CAPS, type ImportReport, type PlannedCaps } from "./import-plan.ts";
import { numberIn, textIn } from "./row-values.ts";
import type { Row } from "./row-values.ts";

const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 30 };

/** A budget for a time, or for all time where it has no duration. */
interface Budget {
  readonly dollars: number;
  readonly spent: number;
  readonly duration: string | null;
}

/** The settings of a key that may be in LiteLLM's table of budgets. Those of the key take precedence. */
const OF_BUDGETS = [
  "max_budget",
  "budget_duration",
  "budget_reset_at",
  "rpm_limit",
  "tpm_limit",
  "max_parallel_requests",
  "soft_budget",
  "tpd_limit",
  "model_max_budget",
  "allowed_models",
  "temp_budget_increase",
  "temp_budget_expiry",
];

export function withBudget(row: Row, budgets: ReadonlyMap<string, Row>): Row {
  const budget = budgets.get(textIn(row, "budget_id") ?? "");
  if (!budget) return row;
  return { ...row, ...Object.fromEntries(OF_BUDGETS.map((name) => [name, isSet(row[name]) ? row[name] : budget[name]])) };
}

/**
 * A budget without a duration is a cap in total of what remains of it; one with a duration, a calendar cap of the same amount per time. Of several caps of the
 * same time the lowest applies. `isPrepaid`: the budget without a duration is the credit of an account.
 */
export function readCaps(row: Row, subject: string, report: ImportReport, isPrepaid = false): PlannedCaps {
  const caps: { -readonly [Period in keyof PlannedCaps]: PlannedCaps[Period] } = { ...NO_PLANNED_CAPS };
  for (const { dollars, spent, duration } of budgetsOf(row)) {
    if (duration === null && isPrepaid) continue;
    const period = duration === null ? "total" : periodOf(duration, subject, report);
    const amount = period === "total" ? dollars - spent : perPeriod(dollars, duration!, period);
    const earlier = caps[period];
    if (earlier === null || amount < Number(earlier)) caps[period] = dollarsOf(amount);
  }
  return caps;
}

/** What remains of a budget without a duration; undefined where there is none. */
export function remainingCredit(row: Row): number | undefined {
  const budget = budgetsOf(row).find(({ duration }) => duration === null);
  return budget && budget.dollars - budget.spent;
}

function budgetsOf(row: Row): readonly Budget[] {
  const [dollars, spent] = [numberIn(row, "max_budget"), numberIn(row, "spend") ?? 0];
  const windows = windowsIn(row).flatMap((window) => {
    const amount = numberIn(window, "max_budget");
    return amount === null ? [] : [{ dollars: amount, spent: 0, duration: textIn(window, "budget_duration") }];
  });
  return dollars === null ? windows : [{ dollars, spent, duration: textIn(row, "budget_duration") }, ...windows];
}

/** Several budgets, each for its time. */
function windowsIn(row: Row): readonly Row[] {
  const value = row["budget_limits"];
  const windows: unknown = typeof value === "string" && value.startsWith("[") ? JSON.parse(value) : value;
  return Array.isArray(windows) ? (windows as readonly Row[]) : [];
}

/** Fails closed: with an unknown time, what remains of the budget is all there is. */
function periodOf(duration: string, subject: string, report: ImportReport): "day" | "month" | "total" {
  const days = daysIn(duration);
  if (days === undefined) {
    report.add(`the budget_duration ${duration} cannot be read: what remains of the budget became a spend cap in total`, subject);
    return "total";
  }
  const period = days <= 1 ? "day" : "month";
  const isSame = days === 1 || days === 30;
  report.add(`a budget per ${duration} became a spend cap per calendar ${period} (UTC)${isSame ? "" : ", of as much per day"}`, subject);
  return period;
}

function perPeriod(dollars: number, duration: string, period: "day" | "month"): number {
  const days = daysIn(duration)!;
  return period === "day" ? dollars / days : (dollars * 30) / days;
}

function daysIn(duration: string): number | undefined {
  const [, count, unit] = /^(\d+)(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  return count === undefined || Number(count) === 0 ? undefined : Number(count) * DAYS[unit!]!;
}
