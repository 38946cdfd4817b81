import { fromUpstream, toUpstream, type DeclaredUpstream } from "../../models/declared-upstream.ts";
import { addSecrets } from "../../models/identities/declared-identity.ts";
import { secretsOf } from "../../models/identities/identity.ts";
import type { Fail } from "../../lib/schema/schema.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Database, RecordReader } from "../database.ts";
import { SecretLost, type Vault } from "../vault.ts";
import { openHeaders, sealHeaders, type SealedHeaders } from "./sealed-headers.ts";
import type { UpstreamTable } from "./upstream-table.ts";

/** The purpose that a ciphertext is bound to: it does not decrypt in the row of another upstream. */
function purposeOf(upstreamId: string): string {
  return `upstream ${upstreamId}`;
}

function purposeOfIdentity(upstreamId: string): string {
  return `identity of upstream ${upstreamId}`;
}

function purposeOfHeaders(upstreamId: string): string {
  return `headers of the upstream ${upstreamId}`;
}

/** The JSON of an upstream without its credentials, and with its headers encrypted. */
function writeUpstream(upstream: UpstreamSettings, vault: Vault): string {
  const { headers } = upstream;
  return JSON.stringify({
    ...fromUpstream(upstream),
    ...(headers && { headers: sealHeaders(headers, purposeOfHeaders(upstream.id), vault) }),
  });
}

/** An upstream's credentials, encrypted as one text with one line for each; null if there are none. */
function sealCredentials(upstream: UpstreamSettings, vault: Vault): string | null {
  const credentials = credentialsOf(upstream);
  if (credentials.length === 0) return null;
  const lines = new Secret(credentials.map((each) => each.reveal()).join("\n"));
  return vault.seal(lines, purposeOf(upstream.id));
}

/** The secrets of an upstream's identity by field, encrypted as one JSON text; null if there are none. */
function sealIdentity(upstream: UpstreamSettings, vault: Vault): string | null {
  const identity = identityOf(upstream);
  const secrets = identity ? Object.entries(secretsOf(identity)) : [];
  if (secrets.length === 0) return null;
  const json = JSON.stringify(Object.fromEntries(secrets.map(([field, secret]) => [field, secret.reveal()])));
  return vault.seal(new Secret(json), purposeOfIdentity(upstream.id));
}

/** The columns of an upstream. */
export function sealUpstream(upstream: UpstreamSettings, vault: Vault): Pick<UpstreamTable, "declared" | "credential" | "identity"> {
  return {
    declared: writeUpstream(upstream, vault),
    credential: sealCredentials(upstream, vault),
    identity: sealIdentity(upstream, vault),
  };
}

/** The operators' upstreams with their credentials. Throws `SecretLost`. */
export async function readUpstreams(reader: Pick<RecordReader, "selectFrom">, vault: Vault): Promise<UpstreamSettings[]> {
  const rows = await reader.selectFrom("upstreams").selectAll().orderBy("created_at_ms").orderBy("id").execute();
  return rows.map((row) => openUpstream(row, vault));
}

/** Encrypts secrets again that were encrypted with the old secret, unless another process has changed them meanwhile. */
export async function resealUpstreams(database: Database, vault: Vault): Promise<void> {
  const rows = await database.selectFrom("upstreams").select(["id", "declared", "credential", "identity"]).execute();
  const resealed = rows.flatMap((row) =>
    SEALED.flatMap(([column, purpose]) => {
      const sealed = row[column];
      if (sealed === null || !vault.isOutdated(sealed)) return [];
      const again = vault.seal(vault.open(sealed, purpose(row.id))!, purpose(row.id));
      return [
        database
          .updateTable("upstreams")
          .set({ [column]: again })
          .where("id", "=", row.id)
          .where(column, "=", sealed),
      ];
    }),
  );
  const outdated = rows.filter(({ declared }) => Object.values(sealedHeadersIn(declared)).some((each) => vault.isOutdated(each)));
  const withHeaders = outdated.map(({ id, declared }) => {
    const headers = sealHeaders(openHeaders(sealedHeadersIn(declared), purposeOfHeaders(id), vault), purposeOfHeaders(id), vault);
    const again = JSON.stringify({ ...(JSON.parse(declared) as DeclaredUpstream), headers });
    return database.updateTable("upstreams").set({ declared: again }).where("id", "=", id).where("declared", "=", declared);
  });
  await database.write(...resealed, ...withHeaders);
}

function sealedHeadersIn(declared: string): SealedHeaders {
  return ((JSON.parse(declared) as DeclaredUpstream).headers ?? {}) as SealedHeaders;
}

/** The encrypted columns. */
const SEALED = [
  ["credential", purposeOf],
  ["identity", purposeOfIdentity],
] as const;

function openUpstream({ id, declared, credential, identity }: UpstreamTable, vault: Vault): UpstreamSettings {
  const stored = withOpenHeaders(JSON.parse(declared) as DeclaredUpstream, vault);
  const whole = identity === null ? stored : addSecrets(stored, openIdentity(id, identity, vault));
  const settings = toUpstream(whole, storedWithFault(id));
  return credential === null || settings.dialect === "echo"
    ? settings
    : { ...settings, credentials: openCredentials(id, credential, vault) };
}

function withOpenHeaders(stored: DeclaredUpstream, vault: Vault): DeclaredUpstream {
  const { id, headers } = stored;
  return headers ? { ...stored, headers: openHeaders(headers as SealedHeaders, purposeOfHeaders(id), vault) } : stored;
}

function openIdentity(id: string, sealed: string, vault: Vault): Record<string, string> {
  const json = vault.open(sealed, purposeOfIdentity(id));
  if (json) return JSON.parse(json.reveal()) as Record<string, string>;
  throw new SecretLost(`The identity of the upstream ${id} was encrypted with another secret.`);
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
