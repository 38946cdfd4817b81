import { beforeEach } from "bun:test";
import { Secret } from "../../../src/lib/secret/secret.ts";
import { SqlAccessTokenStore } from "../../../src/stores/access-tokens/sql-access-token-store.ts";
import { SqlAccountStore } from "../../../src/stores/accounts/sql-account-store.ts";
import { SqlAlertStore } from "../../../src/stores/alerts/sql-alert-store.ts";
import { SqlWebhookStore } from "../../../src/stores/alerts/sql-webhook-store.ts";
import { SqlAuditLogStore } from "../../../src/stores/audit-log/sql-audit-log-store.ts";
import { publishedPrice } from "../../../src/stores/catalog/catalog-examples.contract.ts";
import { SqlCatalogStore } from "../../../src/stores/catalog/sql-catalog-store.ts";
import type { Database } from "../../../src/stores/database.ts";
import { SqlKeyStore } from "../../../src/stores/keys/sql-key-store.ts";
import { SqlPersonStore } from "../../../src/stores/people/sql-person-store.ts";
import { SqlSessionStore } from "../../../src/stores/sessions/sql-session-store.ts";
import { Vault } from "../../../src/stores/vault.ts";
import { EmptyDatabase } from "./empty-database.ts";

/** The platform's stores in one process. */
export interface PlatformStores {
  readonly database: Database;
  readonly accounts: SqlAccountStore;
  readonly keys: SqlKeyStore;
  readonly people: SqlPersonStore;
  readonly sessions: SqlSessionStore;
  readonly accessTokens: SqlAccessTokenStore;
  readonly webhooks: SqlWebhookStore;
  readonly alerts: SqlAlertStore;
  readonly catalog: SqlCatalogStore;
  readonly auditLog: SqlAuditLogStore;
}

/** Two processes on a database. It is empty at the start of each test of the enclosing `describe`. */
export class TwoProcesses {
  readonly database = new EmptyDatabase(2);
  first!: PlatformStores;
  second!: PlatformStores;
  #turns = 0;

  /** Call it in a `describe` that is skipped if PostgreSQL is not installed. */
  constructor() {
    beforeEach(async () => {
      await this.database.empty();
      this.first = await this.#open(0);
      this.second = await this.#open(1);
    });
  }

  /** Each process reads the changes of the other. */
  refresh(): Promise<void> {
    return this.database.refresh();
  }

  /** Makes a change through each process in turn. When it resolves, each process has the other's changes. */
  async inTurn<Result>(change: (stores: PlatformStores) => Promise<Result>): Promise<Result> {
    this.#turns += 1;
    const result = await change(this.#turns % 2 === 0 ? this.first : this.second);
    await this.refresh();
    return result;
  }

  /** Opens the stores of the second process again, so that everything is read from the database. */
  async restart(): Promise<PlatformStores> {
    await this.second.sessions.close();
    await this.second.accessTokens.close();
    return (this.second = await this.#open(1));
  }

  async #open(at: number): Promise<PlatformStores> {
    const { database } = this.database.process(at);
    const vault = new Vault(new Secret("a secret"));
    return {
      database,
      accounts: await SqlAccountStore.open(database),
      keys: await SqlKeyStore.open(database),
      people: await SqlPersonStore.open(database),
      sessions: await SqlSessionStore.open(database),
      accessTokens: await SqlAccessTokenStore.open(database),
      webhooks: await SqlWebhookStore.open(database, vault),
      alerts: await SqlAlertStore.open(database),
      catalog: await SqlCatalogStore.open({ database, vault, defaultPrices: (baseUrl) => [publishedPrice(baseUrl)] }),
      auditLog: new SqlAuditLogStore(database),
    };
  }
}
