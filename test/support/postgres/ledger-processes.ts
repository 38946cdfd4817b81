import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Secret } from "../../../src/lib/secret/secret.ts";
import { NO_CAPS, type Caps } from "../../../src/money/limits.ts";
import { type Purse, purseKey } from "../../../src/money/purse.ts";
import { LeasedLedgerStore } from "../../../src/stores/ledger/leases/leased-ledger-store.ts";
import { bookCredit } from "../../../src/stores/ledger/postgres/book-credit.ts";
import { PostgresAuthority } from "../../../src/stores/ledger/postgres/postgres-authority.ts";
import type { PostgresPool } from "../../../src/stores/postgres/postgres-pool.ts";
import { grant, hold as sampleHold } from "../money/ledger-samples.ts";
import type { PostgresFixture } from "./postgres-fixture.ts";

export const ACCOUNT: Purse = { scope: "account", id: "acme" };

/** A gateway process with its own connections. */
export interface LedgerProcess {
  readonly store: LeasedLedgerStore;
  readonly authority: PostgresAuthority;
  readonly pool: PostgresPool;
  readonly folder: string;
}

/** Gateway processes that share a ledger in PostgreSQL, in a separate database. */
export class LedgerProcesses {
  readonly caps: Record<string, Caps> = {};
  /** The monotonic clock of all of them. It stands still, so that nothing is retried by time. */
  clockMs = 0;
  /** A process that only has an authority. */
  readonly pool: PostgresPool;
  readonly authority: PostgresAuthority;
  readonly #postgres: PostgresFixture;
  readonly #url: Secret;
  readonly #folder = mkdtempSync(join(tmpdir(), "tollgate-postgres-ledger-"));
  readonly #opened: LedgerProcess[] = [];
  #references = 0;

  private constructor(postgres: PostgresFixture, { pool, url }: { readonly pool: PostgresPool; readonly url: Secret }) {
    this.#postgres = postgres;
    this.#url = url;
    this.pool = pool;
    this.authority = this.#authorityOn(pool);
  }

  static async create(postgres: PostgresFixture): Promise<LedgerProcesses> {
    return new LedgerProcesses(postgres, await postgres.open());
  }

  /** Starts a process. `isListening`: whether it receives notifications, as without a connection pooler. */
  async open(instanceId: string, { isListening = true, keepAppliedMs = 0 } = {}): Promise<LedgerProcess> {
    const { pool } = await this.#postgres.open(this.#url);
    const authority = this.#authorityOn(pool);
    const folder = mkdtempSync(join(this.#folder, `${instanceId}-`));
    const store = new LeasedLedgerStore({
      instanceId,
      authority,
      folder,
      durability: "process",
      keepAppliedMs,
      monotonicMs: () => this.clockMs,
      report: () => undefined,
      currentUntilMs: () => Number.POSITIVE_INFINITY,
      fenced: () => undefined,
    });
    this.#opened.push({ store, authority, pool, folder });
    authority.connect(instanceId, store);
    await store.start();
    if (isListening) await authority.listen();
    return { store, authority, pool, folder };
  }

  credit(amount: bigint): Promise<unknown> {
    const credit = grant(amount, { reference: `${++this.#references}`, kind: amount < 0n ? "adjustment" : "grant" });
    return this.pool.transaction((connection) => bookCredit(connection, credit));
  }

  async rows<Row>(text: string): Promise<readonly Row[]> {
    return [...(await this.pool.query<Row>(text))];
  }

  async creditNanos(): Promise<bigint> {
    return (
      (await this.rows<{ nanos: bigint }>("select credit_nanos as nanos from purses where scope = 'account' and id = 'acme'"))[0]?.nanos ??
      0n
    );
  }

  async leasedNanos(): Promise<bigint> {
    return (await this.rows<{ nanos: bigint }>("select coalesce(sum(nanos), 0)::bigint as nanos from leases where scope = 'account'"))[0]!
      .nanos;
  }

  async close(): Promise<void> {
    for (const { store, pool } of this.#opened) {
      await store.close();
      await pool.close().catch(() => undefined);
    }
    await this.pool.close().catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #authorityOn(pool: PostgresPool): PostgresAuthority {
    return new PostgresAuthority({ pool, capsOf: (purse) => this.caps[purseKey(purse)] ?? NO_CAPS });
  }
}

/** Admission, as in the gateway: widens the slice if it is too small, then holds if it covers the amount. */
export async function admit({ store }: Pick<LedgerProcess, "store">, requestId: string, amount: bigint): Promise<boolean> {
  for (let waits = 0; waits < 3 && store.availableOf(ACCOUNT) < amount; waits++) await store.widen([ACCOUNT], amount);
  if (store.availableOf(ACCOUNT) < amount) return false;
  await store.hold(sampleHold(requestId, amount));
  return true;
}
