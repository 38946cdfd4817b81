import { Database } from "bun:sqlite";
import { join } from "node:path";
import { OWN_ACCOUNT, type ThreeAccounts } from "./three-accounts.ts";

/**
 * Every table, with a condition for the rows that a member may change. Data of the member's own account that the member must not change is
 * frozen too: the account, its credit, the role. The suite fails for a new table until it has a line here.
 */
const OWN_ROWS: Readonly<Record<string, string>> = {
  access_tokens: "person_id = $member",
  accounts: "false",
  alert_marks: "false",
  alerts: "false",
  announcements: "false",
  answers: "false",
  // Append-only: only added rows are checked, because existing rows cannot be changed.
  attribution_days: "false",
  attribution_series: "false",
  attribution_sums: "false",
  attribution_tag_days: "false",
  changes: "true",
  deliveries: "false",
  discovered_models: "false",
  entries: "false",
  instances: "false",
  key_hours: "false",
  key_uses: "false",
  keys: "account_id = $account",
  kysely_migration: "false",
  kysely_migration_lock: "false",
  model_uses: "false",
  models: "false",
  people: "id = $member",
  price_lists: "false",
  endpoints: "false",
  prices: "false",
  progress: "false",
  raised_alerts: "false",
  saved_views: "person_id = $member",
  sessions: "person_id = $member",
  tallied: "false",
  tallies: "false",
  upstreams: "false",
  usage_rolled: "false",
  usage_series: "false",
  usage_sums: "false",
  webhooks: "false",
};

/** Watches all data that a member must not change. */
export class FrozenState {
  readonly #database: Database;
  readonly #names: { readonly member: string; readonly account: string };
  #lastChange = 0;

  constructor({ running, memberId }: ThreeAccounts) {
    this.#database = new Database(join(running.folder, "tollgate.db"), { readonly: true, strict: true });
    this.#names = { member: memberId, account: OWN_ACCOUNT };
    this.takeChanges();
  }

  tables(): string[] {
    return this.#database
      .query<{ name: string }, []>("select name from sqlite_master where type = 'table' order by name")
      .all()
      .map(({ name }) => name);
  }

  /** The frozen data as text, to compare it with a later state. */
  read(): string {
    const rows = Object.entries(OWN_ROWS).map(([table, own]) => [table, this.#all(`select * from ${table} where not (${own})`)]);
    const member = this.#all(
      "select id, email, role, account_id, issuer, subject, invitation_hash, disabled_at_ms from people where id = $member",
    );
    return JSON.stringify([...rows, member], (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  }

  /** The changes in the audit log since the last call that a member must not make. */
  takeChanges(): unknown[] {
    const strange = this.#all(
      `select * from changes where id > ${this.#lastChange} and action not in ('test', 'person.sign_in_failed')
        and not (actor in ($member, 'key-holder') and account_id is $account)`,
    );
    this.#lastChange = (this.#all("select max(id) as last from changes")[0] as { last: number }).last;
    return strange;
  }

  close(): void {
    this.#database.close();
  }

  #all(sql: string): unknown[] {
    return this.#database.query(sql).all(this.#names);
  }
}

export const KNOWN_TABLES = Object.keys(OWN_ROWS).toSorted();
