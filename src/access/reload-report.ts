import type { Target } from "./change.ts";

/** A resource that a config file can declare. */
export interface DeclaredTarget extends Target {
  readonly kind: "upstream" | "model" | "price_list" | "account" | "endpoint";
}

/** The differences between two configurations. */
export interface Difference {
  readonly added: readonly DeclaredTarget[];
  readonly changed: readonly DeclaredTarget[];
  readonly removed: readonly DeclaredTarget[];
}

/** The result of a reload. */
export interface ReloadReport {
  readonly file: string;
  /** The number of declared resources. */
  readonly upstreams: number;
  readonly models: number;
  readonly price_lists: number;
  readonly accounts: number;
  readonly changed: Difference;
  /** Settings that have no effect, such as a model without a price. */
  readonly warnings: readonly string[];
}

/** The declared resources, and the changes that a reload would make, or the reason why it would reject the file. */
export interface ConfigComparison {
  readonly declared: readonly DeclaredTarget[];
  readonly pending?: Difference;
  readonly problem?: string;
}

/** The differences between two maps of one kind of resource. The same object in both has not changed. */
export function differenceOf(
  kind: DeclaredTarget["kind"],
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): Difference {
  const targets = (ids: Iterable<string>, isMeant: (id: string) => boolean): DeclaredTarget[] =>
    [...ids].filter(isMeant).map((id) => ({ kind, id }));
  return {
    added: targets(after.keys(), (id) => !before.has(id)),
    changed: targets(after.keys(), (id) => before.has(id) && before.get(id) !== after.get(id)),
    removed: targets(before.keys(), (id) => !after.has(id)),
  };
}

export function joinDifferences(differences: readonly Difference[]): Difference {
  return {
    added: differences.flatMap(({ added }) => added),
    changed: differences.flatMap(({ changed }) => changed),
    removed: differences.flatMap(({ removed }) => removed),
  };
}

export function isNothing({ added, changed, removed }: Difference): boolean {
  return added.length + changed.length + removed.length === 0;
}
