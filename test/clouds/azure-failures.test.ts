import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { AzureIdentity } from "../../src/models/identities/identity.ts";
import { AzureSource } from "../../src/upstreams/identities/azure/azure-source.ts";
import { IdentityFailure, type IdentityFailureReason } from "../../src/upstreams/identities/credential-source.ts";
import { makeCertificate, openssl } from "../support/tls/certificates.ts";
import { AzureCloud, MACHINE_IDENTITY, TENANT } from "./azure-cloud.ts";
import { startAppService, startAzureMetadata, startEntra } from "./azure-servers.ts";

const CLIENT = "22222222-0000-0000-0000-000000000001";
const OUTDATED = "22222222-0000-0000-0000-000000000002";
const BLOCKED = "22222222-0000-0000-0000-000000000003";
const FEDERATED = "22222222-0000-0000-0000-000000000004";
const WITH_CERTIFICATE = "22222222-0000-0000-0000-000000000005";
const NOBODY = "22222222-0000-0000-0000-000000000006";
const SECRET = "the-secret-of-the-client";
const SECRETS = [SECRET, "a-wrong-secret", "an.unknown.assertion", "identity-header", "a-wrong-header", "PRIVATE KEY"];

const folder = mkdtempSync(join(tmpdir(), "tollgate-azure-"));
const cloud = new AzureCloud();
cloud.add({ clientId: CLIENT, secret: SECRET });
cloud.add({ clientId: OUTDATED, secret: SECRET, isExpired: true });
cloud.add({ clientId: BLOCKED, secret: SECRET, isBlocked: true });
cloud.add({ clientId: FEDERATED, federated: new Set() });
const entra = startEntra(cloud);
const metadata = startAzureMetadata(cloud, []);
const appService = startAppService(cloud, [], "identity-header");
const down = startEntra(cloud);
down.isDown = true;
const gone = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
const NOWHERE = `http://127.0.0.1:${gone.port}`;
await gone.stop(true);

const { registered, other, elliptic } = openssl ? makePems() : { registered: "", other: "", elliptic: "" };
writeFileSync(join(folder, "federated"), "an.unknown.assertion");
writeFileSync(join(folder, "empty"), "\n");

afterAll(async () => {
  for (const server of [entra, metadata, appService, down]) await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function makePems(): { registered: string; other: string; elliptic: string } {
  const [first, second, third] = ["rsa:2048", "rsa:2048", undefined].map((algorithm, at) => {
    const { cert, key } = makeCertificate(folder, `pem-${at}`, algorithm === undefined ? {} : { algorithm: [algorithm] });
    const certificate = readFileSync(cert, "utf8");
    return { certificate, pem: certificate + readFileSync(key, "utf8") };
  });
  cloud.add({ clientId: WITH_CERTIFICATE, certificate: first!.certificate });
  return { registered: first!.pem, other: second!.pem, elliptic: third!.pem };
}

const bySecret = (clientId: string, secret = SECRET, tenantId = TENANT): Partial<AzureIdentity> => ({
  tenantId,
  clientId,
  clientSecret: new Secret(secret),
});
const byCertificate = (pem: string): Partial<AzureIdentity> => ({
  tenantId: TENANT,
  clientId: WITH_CERTIFICATE,
  certificate: new Secret(pem),
});
const workload = (file: string): Record<string, string> => ({
  AZURE_TENANT_ID: TENANT,
  AZURE_CLIENT_ID: FEDERATED,
  AZURE_FEDERATED_TOKEN_FILE: join(folder, file),
});

function sourceOf(identity: Partial<AzureIdentity>, variables: Record<string, string> = {}): AzureSource {
  return new AzureSource({ ...MACHINE_IDENTITY, ...identity }, readCloudVariables({ AZURE_AUTHORITY_HOST: entra.url, ...variables }));
}

interface Case {
  readonly name: string;
  readonly identity?: Partial<AzureIdentity>;
  readonly variables?: Record<string, string>;
  readonly reason: IdentityFailureReason;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "a wrong secret",
    identity: bySecret(CLIENT, "a-wrong-secret"),
    reason: "rejected",
    says: /AADSTS7000215.* use its value, not its ID/,
  },
  { name: "an expired secret", identity: bySecret(OUTDATED), reason: "expired", says: /AADSTS7000222.* create a new one/ },
  { name: "an unknown client", identity: bySecret(NOBODY), reason: "rejected", says: /AADSTS700016.* check client_id and tenant_id/ },
  {
    name: "an unknown tenant",
    identity: bySecret(CLIENT, SECRET, "nowhere.example"),
    reason: "rejected",
    says: /AADSTS90002.* Check tenant_id, and cloud/,
  },
  { name: "a policy", identity: bySecret(BLOCKED), reason: "permission", says: /AADSTS53003.* Conditional Access/ },
  {
    name: "an unknown federated token",
    variables: workload("federated"),
    reason: "rejected",
    says: /AADSTS700213.* Add a federated credential/,
  },
  { name: "an empty file", variables: workload("empty"), reason: "missing", says: /empty is empty: AZURE_FEDERATED_TOKEN_FILE names it/ },
  {
    name: "a missing file",
    variables: workload("none"),
    reason: "missing",
    says: /none does not exist: AZURE_FEDERATED_TOKEN_FILE names it/,
  },
  {
    name: "Entra ID is down",
    identity: bySecret(CLIENT),
    variables: { AZURE_AUTHORITY_HOST: down.url },
    reason: "unreachable",
    says: /status 503/,
  },
  {
    name: "Entra ID is away",
    identity: bySecret(CLIENT),
    variables: { AZURE_AUTHORITY_HOST: NOWHERE },
    reason: "unreachable",
    says: /cannot be reached/,
  },
  {
    name: "no URL",
    identity: bySecret(CLIENT),
    variables: { AZURE_AUTHORITY_HOST: "login" },
    reason: "rejected",
    says: /AZURE_AUTHORITY_HOST is not a URL/,
  },
  {
    name: "nothing anywhere",
    variables: { AZURE_POD_IDENTITY_AUTHORITY_HOST: NOWHERE },
    reason: "unreachable",
    says: /none of AZURE_CLIENT_SECRET, .* is set; the managed identity failed: .*cannot be reached/,
  },
  {
    name: "a secret of the environment for another client",
    identity: { clientId: NOBODY },
    variables: {
      AZURE_TENANT_ID: TENANT,
      AZURE_CLIENT_ID: CLIENT,
      AZURE_CLIENT_SECRET: SECRET,
      AZURE_POD_IDENTITY_AUTHORITY_HOST: NOWHERE,
    },
    reason: "unreachable",
    says: /AZURE_CLIENT_SECRET is set, but not for this client/,
  },
  {
    name: "no such managed identity",
    identity: { clientId: NOBODY },
    variables: { AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url },
    reason: "missing",
    says: /Identity not found. Assign a managed identity/,
  },
  {
    name: "no such managed identity in App Service",
    identity: { clientId: NOBODY },
    variables: { IDENTITY_ENDPOINT: `${appService.url}/msi/token`, IDENTITY_HEADER: "identity-header" },
    reason: "missing",
    says: /App Service returned status 400.* check client_id/,
  },
  {
    name: "a wrong header in App Service",
    variables: { IDENTITY_ENDPOINT: `${appService.url}/msi/token`, IDENTITY_HEADER: "a-wrong-header" },
    reason: "rejected",
    says: /App Service returned status 401/,
  },
  { name: "Azure Arc", variables: { IDENTITY_ENDPOINT: "http://127.0.0.1:1/" }, reason: "rejected", says: /Azure Arc .*not supported/ },
  { name: "Cloud Shell", variables: { MSI_ENDPOINT: "http://127.0.0.1:1/" }, reason: "rejected", says: /Cloud Shell .*not supported/ },
  {
    name: "Service Fabric",
    variables: { IDENTITY_ENDPOINT: "https://127.0.0.1:1/", IDENTITY_HEADER: "identity-header", IDENTITY_SERVER_THUMBPRINT: "aa" },
    reason: "rejected",
    says: /Service Fabric .*not supported/,
  },
];

const CERTIFICATE_CASES: readonly Case[] = [
  { name: "a certificate that is not registered", identity: byCertificate(other), reason: "rejected", says: /AADSTS700027.* upload it/ },
  { name: "the key of another", identity: byCertificate(swapped()), reason: "rejected", says: /does not belong to its certificate/ },
  {
    name: "no key",
    identity: byCertificate(registered.replace(/-----BEGIN PRIVATE KEY[^]*/, "")),
    reason: "rejected",
    says: /has no private key/,
  },
  {
    name: "no certificate",
    identity: byCertificate(registered.replace(/^[^]*END CERTIFICATE-----/, "")),
    reason: "rejected",
    says: /has no certificate/,
  },
  {
    name: "a key with a password",
    identity: byCertificate(registered.replaceAll("PRIVATE", "ENCRYPTED PRIVATE")),
    reason: "rejected",
    says: /remove the password/,
  },
  { name: "an elliptic key", identity: byCertificate(elliptic), reason: "rejected", says: /not an RSA key/ },
];

function swapped(): string {
  return registered.replace(/-----BEGIN PRIVATE KEY[^]*/, other.replace(/^[^]*END CERTIFICATE-----\n/, ""));
}

async function expectFailure({ identity = {}, variables, reason, says }: Case): Promise<void> {
  const [outcome] = await Promise.allSettled([sourceOf(identity, variables).obtain(new Cancellation())]);
  const failure = (outcome.status === "rejected" && outcome.reason) as IdentityFailure;
  expect(failure).toBeInstanceOf(IdentityFailure);
  expect([failure.reason, failure.message]).toEqual([reason, expect.stringMatching(says)]);
  for (const secret of SECRETS) expect(failure.message).not.toContain(secret);
}

test.each(CASES)("$name", expectFailure);

describe.skipIf(!openssl)("certificates", () => {
  test.each(CERTIFICATE_CASES)("$name", expectFailure);

  test.each([-10, 10])("%d minutes of clock skew are corrected by the server's time", async (minutes) => {
    cloud.skewMs = minutes * 60_000;
    const source = sourceOf(byCertificate(registered));
    try {
      entra.seen.length = 0;
      const { credentials } = await source.obtain(new Cancellation());
      expect(cloud.isValid(credentials.token.reveal())).toBe(true);
      // By the clock of this machine, which is wrong during the whole test.
      expect(Math.abs(credentials.expiresAtMs! - Date.now() - cloud.lifetimeMs)).toBeLessThan(120_000);
      expect(Math.abs(source.clockSkewMs - cloud.skewMs)).toBeLessThan(120_000);
      await source.obtain(new Cancellation());
      // Rejected once, and accepted from then on.
      expect(entra.seen).toHaveLength(3);
    } finally {
      cloud.skewMs = 0;
    }
  });
});

test.each([
  ["no JSON", "<html>", /no access token/],
  ["a line break in it", JSON.stringify({ access_token: "a\r\nx: y", expires_in: 1 }), /no access token/],
  ["no expiry", JSON.stringify({ access_token: "a" }), /without its expiry/],
  ["an odd expiry", JSON.stringify({ access_token: "a", expires_in: "soon", expires_on: -1 }), /without its expiry/],
])("an access token with %s is refused", async (_what, text, says) => {
  await using odd = serverThatReturns(text);
  await expectFailure({ name: "", identity: bySecret(CLIENT), variables: { AZURE_AUTHORITY_HOST: odd.url }, reason: "rejected", says });
});

function serverThatReturns(text: string): AsyncDisposable & { readonly url: string } {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(text) });
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("the token file of a workload identity is read each time", async () => {
  const file = join(folder, "replaced");
  const source = sourceOf({}, workload("replaced"));
  for (const assertion of ["first.federated.token", "second.federated.token"]) {
    writeFileSync(file, assertion);
    cloud.add({ clientId: FEDERATED, federated: new Set([assertion]) });
    const { credentials, source: from } = await source.obtain(new Cancellation());
    expect([cloud.ownerOf(credentials.token.reveal()), from]).toEqual([FEDERATED, `the workload identity ${FEDERATED}, by ${file}`]);
  }
});
