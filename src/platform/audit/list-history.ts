import type { AuditLogStore, RecordedChange } from "../../stores/audit-log/audit-log-store.ts";

const PAGE = 500;
/** How far the times of entries and of changes may differ: clocks of machines, and clocks that are adjusted. */
const SLACK_MS = 60 * 60 * 1000;

interface AccountFields {
  readonly price_list?: string | null;
}

interface Assigned {
  readonly atMs: number;
  readonly priceList: string | null;
}

/** The price lists that accounts have had, by the audit log. */
export class ListHistory {
  /** Of each account, newest first. */
  readonly #assigned: ReadonlyMap<string, readonly Assigned[]>;

  private constructor(assigned: ReadonlyMap<string, readonly Assigned[]>) {
    this.#assigned = assigned;
  }

  static async read(auditLog: Pick<AuditLogStore, "page">): Promise<ListHistory> {
    const assigned = new Map<string, Assigned[]>();
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const page = await auditLog.page({ targetKind: "account" }, before, PAGE);
      for (const change of page) {
        const { atMs, target } = change;
        const priceList = priceListIn(change);
        if (priceList === undefined) continue;
        const known = assigned.get(target.id);
        if (known) known.push({ atMs, priceList });
        else assigned.set(target.id, [{ atMs, priceList }]);
      }
      if (page.length < PAGE) return new ListHistory(assigned);
      before = page.at(-1)!.id;
    }
  }

  /** Whether an account may have had a price list at this time. True for an account that the audit log does not have. */
  mayHaveHad(accountId: string, priceList: string, atMs: number): boolean {
    const assigned = this.#assigned.get(accountId);
    if (!assigned) return true;
    // From each change until the next newer one.
    return assigned.some((each, at) => {
      const untilMs = assigned[at - 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return each.priceList === priceList && each.atMs - SLACK_MS <= atMs && atMs <= untilMs + SLACK_MS;
    });
  }
}

/** Undefined where the change says nothing of it: grants, for one, are changes of an account too. */
function priceListIn({ action, after }: RecordedChange): string | null | undefined {
  const fields: AccountFields | null = after;
  const priceList = fields?.price_list;
  return priceList === undefined && action === "account.create" ? null : priceList;
}
