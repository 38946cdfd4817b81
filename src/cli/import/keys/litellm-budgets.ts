import { isSet } from "./litellm-columns.ts";
import { dollarsOf, type ImportReport, type PlannedCaps, type PlannedCarriedSpend } from "./import-plan.ts";
import { numberIn, textIn, timeIn, type Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 30 };

/** A budget per period, or for all time if it has no duration. */
interface Budget {
  readonly dollars: number;
  readonly spent: number;
  readonly duration: string | null;
  /** When the spend is reset to zero. */
  readonly resetsAt: string | null;
}

/** The spend under each budget of `budget_limits`, by holder and duration. */
export type WindowSpend = ReadonlyMap<string, { readonly spent: number; readonly startedAt: string | null }>;

/** The settings of a key that may be in LiteLLM's table of budgets. The key's settings take precedence. */
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

/** Spend caps, and the amounts that already count against the caps of the current day and month. */
interface PlannedSpending {
  readonly caps: PlannedCaps;
  readonly carried_spend: PlannedCarriedSpend | null;
}

/** The spend, and the time of the import. */
interface SpendSnapshot {
  readonly windows: WindowSpend;
  readonly nowMs: number;
}

export async function readWindowSpend(tables: SourceTables): Promise<WindowSpend> {
  const rows = await tables.read("LiteLLM_BudgetWindowSpend");
  return new Map(
    rows.map((row) => [
      windowName(textIn(row, "entity_id"), textIn(row, "window_duration")),
      { spent: numberIn(row, "spend") ?? 0, startedAt: timeIn(row, "window_start") },
    ]),
  );
}

function windowName(holder: string | null, duration: string | null): string {
  return `${holder ?? ""} ${duration ?? ""}`;
}

/**
 * Converts budgets to spend caps. A budget without a duration becomes a total cap of its remaining amount. A budget with a duration becomes
 * a calendar cap of the same amount per day or month. If several caps have the same period, the lowest applies. `isPrepaid`: the budget
 * without a duration is the credit of an account, and not a cap.
 */
export function readSpending(row: Row, now: SpendSnapshot, subject: string, report: ImportReport, isPrepaid = false): PlannedSpending {
  const [total, day, month] = [new Allowance(), new Allowance(), new Allowance()];
  for (const budget of budgetsOf(row, now)) {
    const { dollars, spent, duration } = budget;
    if (duration === null && isPrepaid) continue;
    const period = duration === null ? "total" : periodOf(duration, subject, report);
    if (period === "total") total.add(dollars - spent, dollars - spent, null);
    else addCalendarCap(period === "day" ? day : month, period, budget, now.nowMs);
  }
  const [ofDay, ofMonth] = [day.carried, month.carried];
  if (ofDay || ofMonth) report.add("what was spent in the current period was carried over", subject);
  return {
    caps: { day: day.cap, month: month.cap, total: total.cap },
    carried_spend: ofDay || ofMonth ? { day: ofDay, month: ofMonth } : null,
  };
}

/** The lowest of several caps, and the lowest of their remaining amounts. */
class Allowance {
  #cap: number | undefined;
  #left = Infinity;
  #until: string | null = null;

  add(cap: number, left: number, until: string | null): void {
    if (this.#cap === undefined || cap < this.#cap) this.#cap = cap;
    if (left >= this.#left) return;
    this.#left = left;
    this.#until = until;
  }

  get cap(): string | null {
    return this.#cap === undefined ? null : dollarsOf(this.#cap);
  }

  get carried(): PlannedCarriedSpend["day"] {
    const spent = this.#cap === undefined ? 0 : Math.max(this.#cap, 0) - this.#left;
    return spent <= 0 || this.#until === null ? null : { amount: dollarsOf(spent), until: this.#until };
  }
}

/**
 * Adds a cap per day or month. The spend counts until LiteLLM resets the budget, but not beyond the current day or month. If the budget's
 * period is longer than a month, the remaining amount is at most the budget's remaining amount.
 */
function addCalendarCap(
  allowance: Allowance,
  period: "day" | "month",
  { dollars, spent, duration, resetsAt }: Budget,
  nowMs: number,
): void {
  const cap = perPeriod(dollars, duration!, period);
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const end = new Date(period === "day" ? Date.UTC(year, month, now.getUTCDate() + 1) : Date.UTC(year, month + 1, 1)).toISOString();
  const until = resetsAt !== null && resetsAt < end ? resetsAt : end;
  const isOver = Date.parse(until) <= nowMs;
  allowance.add(cap, isOver ? cap : cap < dollars ? Math.min(cap, dollars - spent) : cap - spent, isOver ? null : until);
}

/** The remaining amount of a budget without a duration; undefined if there is none. */
export function remainingCredit(row: Row): number | undefined {
  const dollars = numberIn(row, "max_budget");
  return dollars === null || textIn(row, "budget_duration") !== null ? undefined : dollars - (numberIn(row, "spend") ?? 0);
}

function budgetsOf(row: Row, { windows, nowMs }: SpendSnapshot): readonly Budget[] {
  const [dollars, spent] = [numberIn(row, "max_budget"), numberIn(row, "spend") ?? 0];
  const holder = textIn(row, "token") ?? textIn(row, "team_id") ?? textIn(row, "user_id");
  const several = windowsIn(row).flatMap((window) => {
    const [amount, duration] = [numberIn(window, "max_budget"), textIn(window, "budget_duration")];
    const spend = windows.get(windowName(holder, duration));
    const isCurrent = spend?.startedAt != null && Date.parse(spend.startedAt) + (daysIn(duration ?? "") ?? 0) * 86_400_000 > nowMs;
    return amount === null ? [] : [{ dollars: amount, spent: isCurrent ? spend.spent : 0, duration, resetsAt: timeIn(window, "reset_at") }];
  });
  const one = { spent, duration: textIn(row, "budget_duration"), resetsAt: timeIn(row, "budget_reset_at") };
  return dollars === null ? several : [{ dollars, ...one }, ...several];
}

/** The budgets of a row, each with its own duration. */
function windowsIn(row: Row): readonly Row[] {
  const value = row["budget_limits"];
  const windows: unknown = typeof value === "string" && value.startsWith("[") ? JSON.parse(value) : value;
  return Array.isArray(windows) ? (windows as readonly Row[]) : [];
}

/** Fails closed: if the duration is unknown, the remaining amount of the budget becomes a total cap. */
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
