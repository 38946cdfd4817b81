import type { AuditLogStore, RecordedChange } from "../../stores/audit-log/audit-log-store.ts";

const PAGE = 500;
/** The maximum difference between the times of entries and of changes: machines have different clocks, and clocks are adjusted. */
const SLACK_MS = 60 * 60 * 1000;

/** The audited fields of an account that affect its charges. */
type Field = "price_list" | "credit_line";
const FIELDS: readonly Field[] = ["price_list", "credit_line"];

interface Assignment {
  readonly atMs: number;
  readonly value: string | null;
}

/** The price lists and credit lines of accounts over time, according to the audit log. */
export class AccountHistory {
  /** The values of each field, by account, newest first. */
  readonly #assigned: Readonly<Record<Field, Map<string, Assignment[]>>> = { price_list: new Map(), credit_line: new Map() };

  static async read(auditLog: Pick<AuditLogStore, "page">): Promise<AccountHistory> {
    const history = new AccountHistory();
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const page = await auditLog.page({ targetKind: "account" }, before, PAGE);
      for (const change of page) history.#add(change);
      if (page.length < PAGE) return history;
      before = page.at(-1)!.id;
    }
  }

  /** Whether an account may have had a price list at this time. True if the audit log does not contain the account. */
  mayHaveHad(accountId: string, priceList: string, atMs: number): boolean {
    const values = this.#valuesAt("price_list", accountId, atMs);
    return values === undefined || values.includes(priceList);
  }

  /** The credit lines that an account may have had at this time, in dollars or `unlimited`; null for none. */
  creditLinesAt(accountId: string, atMs: number): readonly (string | null)[] {
    const values = this.#valuesAt("credit_line", accountId, atMs);
    return values === undefined || values.length === 0 ? [null] : values;
  }

  /** A value applies from its change until the next newer one. Undefined if the audit log does not contain the account. */
  #valuesAt(field: Field, accountId: string, atMs: number): readonly (string | null)[] | undefined {
    const assigned = this.#assigned[field].get(accountId);
    return assigned?.flatMap((each, at) => {
      const untilMs = assigned[at - 1]?.atMs ?? Number.POSITIVE_INFINITY;
      return each.atMs - SLACK_MS <= atMs && atMs <= untilMs + SLACK_MS ? [each.value] : [];
    });
  }

  #add(change: RecordedChange): void {
    for (const field of FIELDS) {
      const value = valueIn(change, field);
      if (value === undefined) continue;
      const known = this.#assigned[field].get(change.target.id);
      const assigned = { atMs: change.atMs, value };
      if (known) known.push(assigned);
      else this.#assigned[field].set(change.target.id, [assigned]);
    }
  }
}

/** Undefined if the change does not contain the field. For example, grants are also changes of an account. */
function valueIn({ action, after }: RecordedChange, field: Field): string | null | undefined {
  const fields: Partial<Record<Field, string | null>> | null = after;
  const value = fields?.[field];
  return value === undefined && action === "account.create" ? null : value;
}
