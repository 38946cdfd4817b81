import type { AccountStore } from "../stores/accounts/account-store.ts";
import type { AuditLogStore } from "../stores/audit-log/audit-log-store.ts";
import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import type { LedgerStore } from "../stores/ledger/ledger-store.ts";
import type { Secret } from "../vocabulary/secret.ts";

/** All that the platform's endpoints need. */
export interface Platform {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly auditLog: AuditLogStore;
  readonly ledger: LedgerStore;
  readonly catalog: CatalogStore;
  /** What keys are hashed with. */
  readonly hashSecret: Secret;
  readonly operatorToken: Secret;
  readonly nowMs: () => number;
}
