import type { BilledModel } from "./bill.ts";
import { together, type LedgerModel } from "./ledger-side.ts";
import { NOTHING, plus } from "./measures.ts";
import type { NameGroup } from "./model-names.ts";
import { dayAfter } from "./zone-days.ts";

/** Both sides of one model on one day. */
export interface Pair {
  readonly day: string;
  readonly names: NameGroup | undefined;
  readonly ledger: LedgerModel | undefined;
  readonly bill: Pick<BilledModel, "measures" | "roundedByPicos">;
  /** Whether the bill has any record of it, even one without usage. */
  readonly isOnBill: boolean;
  /** Requests in the ledger that started on the day before, or ended on the day after. */
  readonly acrossMidnight: number;
}

const NOT_BILLED = { measures: NOTHING, roundedByPicos: 0n };

/** Matches the rows of both sides. Each row is in exactly one pair. */
export function pairUp(ledger: readonly LedgerModel[], bill: readonly BilledModel[], groups: readonly NameGroup[]): readonly Pair[] {
  const groupInLedger = groupsByName(groups, (group) => group.ledger);
  const groupOnBill = groupsByName(groups, (group) => group.bill);
  const inLedger = new ByDayAndGroup<LedgerModel>();
  const onBill = new ByDayAndGroup<Pair["bill"]>();
  for (const one of ledger) {
    const group = one.model === undefined ? undefined : groupInLedger.get(one.model);
    inLedger.change(one.day, group, (sum) => (sum ? together(sum, one) : one));
  }
  for (const { day, model, measures, roundedByPicos } of bill) {
    onBill.change(day, groupOnBill.get(model), (sum = NOT_BILLED) => ({
      measures: plus(sum.measures, measures),
      roundedByPicos: sum.roundedByPicos + roundedByPicos,
    }));
  }
  const days = [...new Set([...inLedger.days, ...onBill.days])].toSorted();
  return days.flatMap((day) =>
    [...new Set([...inLedger.groupsOn(day), ...onBill.groupsOn(day)])].map((names) => {
      const one = inLedger.get(day, names);
      const acrossMidnight = (one?.startedBefore ?? 0) + (inLedger.get(dayAfter(day), names)?.startedBefore ?? 0);
      const billed = onBill.get(day, names);
      return { day, names, ledger: one, bill: billed ?? NOT_BILLED, isOnBill: billed !== undefined, acrossMidnight };
    }),
  );
}

function groupsByName(groups: readonly NameGroup[], names: (group: NameGroup) => readonly string[]): ReadonlyMap<string, NameGroup> {
  return new Map(groups.flatMap((group) => names(group).map((name) => [name, group] as const)));
}

class ByDayAndGroup<Value> {
  readonly #days = new Map<string, Map<NameGroup | undefined, Value>>();

  get days(): Iterable<string> {
    return this.#days.keys();
  }

  groupsOn(day: string): Iterable<NameGroup | undefined> {
    return this.#days.get(day)?.keys() ?? [];
  }

  get(day: string, group: NameGroup | undefined): Value | undefined {
    return this.#days.get(day)?.get(group);
  }

  change(day: string, group: NameGroup | undefined, to: (before: Value | undefined) => Value): void {
    const groups = this.#days.getOrInsertComputed(day, () => new Map());
    groups.set(group, to(groups.get(group)));
  }
}
