import { parseIsoDate } from "../lib/time/iso-date.ts";

/** Model names on both sides that mean the same model. */
export interface NameGroup {
  readonly ledger: readonly string[];
  readonly bill: readonly string[];
  /** Whether the names are equal, or differ only by a date that one side omits. */
  readonly by: "name" | "date" | undefined;
}

interface Name {
  readonly name: string;
  readonly base: string;
  /** The date in a name, such as `20240806`. Undefined for a name that means the current version. */
  readonly date: string | undefined;
}

/**
 * Matches the bill's model names with the ledger's. A provider may bill `gpt-4o-2024-08-06` for requests to `gpt-4o`, and several dated
 * versions in a month. So a name without a date that is missing on the other side is grouped with all names that differ from it only by a
 * date. No other names match: `gpt-4o` is not `gpt-4o-mini`, and `gpt-4-0613` is not `gpt-4`. A name without a counterpart is a separate
 * group.
 */
export function matchNames(ledger: readonly string[], bill: readonly string[]): readonly NameGroup[] {
  const [ours, theirs] = [ledger.map(toName), bill.map(toName)];
  const groups = new Groups([...ours, ...theirs].map(keyOf));
  joinUndated(ours, theirs, groups);
  joinUndated(theirs, ours, groups);
  const [byKey, billedByKey] = [Map.groupBy(ours, keyOf), Map.groupBy(theirs, keyOf)];
  return groups.all().map((keys) => {
    const within = (names: Map<string, Name[]>): string[] => [...keys].flatMap((key) => names.get(key) ?? []).map(({ name }) => name);
    const [inLedger, onBill] = [within(byKey), within(billedByKey)];
    const by = inLedger.length === 0 || onBill.length === 0 ? undefined : keys.size === 1 ? "name" : "date";
    return { ledger: inLedger, bill: onBill, by };
  });
}

/** The name of a group: the name without a date, if there is one. */
export function nameOf({ ledger, bill }: NameGroup): string {
  return [...ledger, ...bill].toSorted((one, other) => one.length - other.length)[0]!;
}

function joinUndated(some: readonly Name[], others: readonly Name[], groups: Groups): void {
  const there = new Set(others.map(keyOf));
  const byBase = Map.groupBy(others, ({ base }) => base);
  for (const name of some) {
    if (name.date !== undefined || there.has(keyOf(name))) continue;
    for (const other of byBase.get(name.base) ?? []) groups.join(keyOf(name), keyOf(other));
  }
}

const DATED = /^(.+)-(\d{4})-?(\d{2})-?(\d{2})$/;

/** Names are compared in lower case, and dates in any notation; `-latest` counts as no date. */
function toName(name: string): Name {
  const plain = name.trim().toLowerCase();
  const [, base, year, month, day] = DATED.exec(plain) ?? [];
  if (base !== undefined && year!.startsWith("20") && parseIsoDate(`${year}-${month}-${day}`) !== undefined) {
    return { name, base, date: `${year}${month}${day}` };
  }
  return { name, base: plain.replace(/-latest$/, ""), date: undefined };
}

function keyOf({ base, date }: Name): string {
  return JSON.stringify([base, date ?? null]);
}

/** Groups keys that belong together. */
class Groups {
  readonly #groupOf = new Map<string, Set<string>>();

  constructor(keys: readonly string[]) {
    for (const key of keys) this.#groupOf.set(key, new Set([key]));
  }

  join(one: string, other: string): void {
    const [all, more] = [this.#groupOf.get(one)!, this.#groupOf.get(other)!];
    if (all === more) return;
    for (const key of more) {
      all.add(key);
      this.#groupOf.set(key, all);
    }
  }

  all(): ReadonlySet<string>[] {
    return [...new Set(this.#groupOf.values())];
  }
}
