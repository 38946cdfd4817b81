import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../../lib/secret/secret.ts";
import { SqlAuditLogStore } from "../audit-log/sql-audit-log-store.ts";
import { SecretLost, Vault } from "../vault.ts";
import { SqlWebhookStore } from "./sql-webhook-store.ts";
import { putWebhook, webhook, webhookStoreContract } from "./webhook-store.contract.ts";
import { openMigrated } from "../../../test/support/open-migrated.ts";

const OLD = new Secret("an old secret, long enough");
const NEW = new Secret("a new secret, long enough too");

webhookStoreContract("SqlWebhookStore", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-webhooks-"));
  let database = await openMigrated(folder);
  return {
    store: await SqlWebhookStore.open(database, new Vault(OLD)),
    auditLog: () => new SqlAuditLogStore(database),
    async reopen() {
      await database.destroy();
      database = await openMigrated(folder);
      return SqlWebhookStore.open(database, new Vault(OLD));
    },
    async cleanUp() {
      await database.destroy();
      rmSync(folder, { recursive: true });
    },
  };
});

test("stores no plaintext secret, encrypts again with a new secret, and a start without either fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-webhooks-"));
  const database = await openMigrated(folder);
  const stored = webhook();
  await putWebhook(await SqlWebhookStore.open(database, new Vault(OLD)), stored);
  expect(SqlWebhookStore.open(database, new Vault(NEW))).rejects.toThrow(SecretLost);
  await SqlWebhookStore.open(database, new Vault(NEW, OLD));
  const reopened = await SqlWebhookStore.open(database, new Vault(NEW));
  expect(reopened.find(stored.id)!.secret.equals(stored.secret)).toBe(true);

  const written = readdirSync(folder).map((file) => readFileSync(join(folder, file), "latin1"));
  expect(written.join("\n")).not.toContain(stored.secret.reveal().slice("whsec_".length));

  await database.updateTable("webhooks").set({ id: "webhook_another" }).execute();
  expect(SqlWebhookStore.open(database, new Vault(NEW))).rejects.toThrow(SecretLost);
  await database.destroy();
  rmSync(folder, { recursive: true });
});
