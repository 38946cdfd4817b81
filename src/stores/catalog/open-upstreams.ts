import { toUpstream, type DeclaredUpstream } from "../../models/declared-upstream.ts";
import type { Fail } from "../../lib/schema/schema.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { credentialsOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Database } from "../database.ts";
import { SecretLost, type Vault } from "../vault.ts";
import type { UpstreamTable } from "./upstream-table.ts";

/** The purpose that a ciphertext is bound to: in the row of another upstream it does not decrypt. */
function purposeOf(upstreamId: string): string {
  return `upstream ${upstreamId}`;
}

/** An upstream's credentials, encrypted as one text with a line for each; null where there are none. */
export function sealCredentials(upstream: UpstreamSettings, vault: Vault): string | null {
  const credentials = credentialsOf(upstream);
  if (credentials.length === 0) return null;
  const lines = new Secret(credentials.map((each) => each.reveal()).join("\n"));
  return vault.seal(lines, purposeOf(upstream.id));
}

/** The operators' upstreams with their credentials. Throws `SecretLost`. */
export async function readUpstreams(database: Database, vault: Vault): Promise<UpstreamSettings[]> {
  const rows = await database.selectFrom("upstreams").selectAll().orderBy("created_at_ms").orderBy("id").execute();
  return rows.map((row) => openUpstream(row, vault));
}

/** Encrypts credentials again that were encrypted with the old secret, unless another process has changed them meanwhile. */
export async function resealUpstreams(database: Database, vault: Vault): Promise<void> {
  const rows = await database.selectFrom("upstreams").select(["id", "credential"]).execute();
  const resealed = rows.flatMap(({ id, credential }) => {
    if (credential === null || !vault.isOutdated(credential)) return [];
    const sealed = vault.seal(vault.open(credential, purposeOf(id))!, purposeOf(id));
    return [database.updateTable("upstreams").set({ credential: sealed }).where("id", "=", id).where("credential", "=", credential)];
  });
  await database.write(...resealed);
}

function openUpstream({ id, declared, credential }: UpstreamTable, vault: Vault): UpstreamSettings {
  const settings = toUpstream(JSON.parse(declared) as DeclaredUpstream, storedWithFault(id));
  return credential === null || settings.dialect === "echo"
    ? settings
    : { ...settings, credentials: openCredentials(id, credential, vault) };
}

function openCredentials(id: string, sealed: string, vault: Vault): Secret[] {
  const lines = vault.open(sealed, purposeOf(id));
  if (lines)
    return lines
      .reveal()
      .split("\n")
      .map((line) => new Secret(line));
  throw new SecretLost(`The credential of the upstream ${id} was encrypted with another secret.`);
}

function storedWithFault(id: string): Fail {
  return (path, message) => {
    throw new Error(`the upstream ${id} is stored with an invalid setting: ${path.join(".")} ${message}`);
  };
}
