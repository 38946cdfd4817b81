import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCloudVariables } from "../../src/config/read-cloud-variables.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { AzureIdentity } from "../../src/models/identities/identity.ts";
import { AzureSource } from "../../src/upstreams/identities/azure/azure-source.ts";
import { makeCertificate, openssl } from "../support/tls/certificates.ts";
import { AzureCloud, MACHINE_IDENTITY, TENANT } from "./azure-cloud.ts";
import { startAppService, startAzureMetadata, startEntra, type AzureServer, type SeenRequest } from "./azure-servers.ts";
import type { OfficialTask } from "./official-azure.ts";

const BY_SECRET = "22222222-0000-0000-0000-000000000001";
const BY_CERTIFICATE = "22222222-0000-0000-0000-000000000002";
const BY_FEDERATION = "22222222-0000-0000-0000-000000000003";
const USER_ASSIGNED = "22222222-0000-0000-0000-000000000004";
const SECRET = "s/ecret+~ & of=client";
const HEADER = "identity-header-of-app-service";

const folder = mkdtempSync(join(tmpdir(), "tollgate-azure-"));
const cloud = new AzureCloud();
const federated = new Set(["first.federated.token"]);
const tokenFile = join(folder, "federated");
const entra = startEntra(cloud);
const metadata = startAzureMetadata(cloud, [USER_ASSIGNED]);
const appService = startAppService(cloud, [USER_ASSIGNED], HEADER);
const servers: readonly AzureServer[] = [entra, metadata, appService];
let pem = "";

beforeAll(() => {
  cloud.add({ clientId: BY_SECRET, secret: SECRET });
  cloud.add({ clientId: BY_FEDERATION, federated });
  writeFileSync(tokenFile, "first.federated.token\n");
  if (!openssl) return;
  const { cert, key } = makeCertificate(folder, "client", { algorithm: ["rsa:2048"] });
  const certificate = readFileSync(cert, "utf8");
  cloud.add({ clientId: BY_CERTIFICATE, certificate });
  pem = readFileSync(key, "utf8") + certificate;
  writeFileSync(join(folder, "client.pem"), pem);
});

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Scenario {
  readonly name: string;
  readonly environment?: () => Record<string, string>;
  readonly identity?: () => Partial<AzureIdentity>;
  readonly client?: () => NonNullable<OfficialTask["client"]>;
  readonly managedIdentityClientId?: string;
  /** The owner of the access token. */
  readonly owner: string;
}

const CLIENT = { AZURE_TENANT_ID: TENANT, AZURE_CLIENT_ID: BY_SECRET };
const AT_METADATA = (): Record<string, string> => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: metadata.url });
const AT_APP_SERVICE = (): Record<string, string> => ({
  IDENTITY_ENDPOINT: `${appService.url}/msi/token`,
  IDENTITY_HEADER: HEADER,
  // App Service also sets the older variables.
  MSI_ENDPOINT: `${appService.url}/msi/token`,
  MSI_SECRET: HEADER,
});
const AT_WORKLOAD = (): Record<string, string> => ({
  AZURE_TENANT_ID: TENANT,
  AZURE_CLIENT_ID: BY_FEDERATION,
  AZURE_FEDERATED_TOKEN_FILE: tokenFile,
});

const SCENARIOS: readonly Scenario[] = [
  {
    name: "a declared client secret",
    identity: () => ({ tenantId: TENANT, clientId: BY_SECRET, clientSecret: new Secret(SECRET) }),
    client: () => ({ tenantId: TENANT, clientId: BY_SECRET, secret: SECRET }),
    owner: BY_SECRET,
  },
  {
    name: "a client secret of the environment, before all others",
    environment: () => ({
      ...AT_APP_SERVICE(),
      ...AT_WORKLOAD(),
      ...CLIENT,
      AZURE_CLIENT_SECRET: SECRET,
      AZURE_CLIENT_CERTIFICATE_PATH: "/nowhere",
    }),
    owner: BY_SECRET,
  },
  {
    name: "a workload identity, before the managed one",
    environment: () => ({ ...AT_METADATA(), ...AT_WORKLOAD() }),
    owner: BY_FEDERATION,
  },
  {
    name: "a secret without its tenant, and the metadata service",
    environment: () => ({ ...AT_METADATA(), AZURE_CLIENT_SECRET: SECRET }),
    owner: "machine",
  },
  { name: "the machine's own managed identity", environment: AT_METADATA, owner: "machine" },
  {
    name: "a user-assigned managed identity",
    environment: AT_METADATA,
    identity: () => ({ clientId: USER_ASSIGNED }),
    managedIdentityClientId: USER_ASSIGNED,
    owner: USER_ASSIGNED,
  },
  {
    name: "a user-assigned managed identity of the environment",
    environment: () => ({ ...AT_METADATA(), AZURE_CLIENT_ID: USER_ASSIGNED }),
    owner: USER_ASSIGNED,
  },
  { name: "App Service, before the metadata service", environment: () => ({ ...AT_METADATA(), ...AT_APP_SERVICE() }), owner: "machine" },
  {
    name: "a user-assigned managed identity of App Service",
    environment: AT_APP_SERVICE,
    identity: () => ({ clientId: USER_ASSIGNED }),
    managedIdentityClientId: USER_ASSIGNED,
    owner: USER_ASSIGNED,
  },
];

const WITH_CERTIFICATE: readonly Scenario[] = [
  {
    name: "a declared certificate",
    identity: () => ({ tenantId: TENANT, clientId: BY_CERTIFICATE, certificate: new Secret(pem) }),
    client: () => ({ tenantId: TENANT, clientId: BY_CERTIFICATE, certificate: pem }),
    owner: BY_CERTIFICATE,
  },
  {
    name: "a certificate of the environment, before a workload identity",
    environment: () => ({ ...AT_WORKLOAD(), AZURE_CLIENT_ID: BY_CERTIFICATE, AZURE_CLIENT_CERTIFICATE_PATH: join(folder, "client.pem") }),
    owner: BY_CERTIFICATE,
  },
];

/** The requests that the doubles receive during an action. The official library first checks whether there is a metadata service. */
async function watch<T>(act: () => Promise<T>): Promise<{ result: T; requests: SeenRequest[] }> {
  for (const { seen } of servers) seen.length = 0;
  const result = await act();
  return { result, requests: servers.flatMap(({ seen }) => seen).filter(({ headers }) => headers["metadata"] !== null) };
}

async function obtain({ environment, identity }: Scenario): Promise<string> {
  const variables = readCloudVariables({ AZURE_AUTHORITY_HOST: entra.url, ...environment?.() });
  const { credentials } = await new AzureSource({ ...MACHINE_IDENTITY, ...identity?.() }, variables).obtain(new Cancellation());
  return credentials.token.reveal();
}

async function obtainOfficially({ environment, client, managedIdentityClientId }: Scenario): Promise<string> {
  const task: OfficialTask = {
    environment: environment?.() ?? {},
    entra: entra.url,
    ...(client && { client: client() }),
    ...(managedIdentityClientId !== undefined && { managedIdentityClientId }),
  };
  const program = Bun.spawn([process.execPath, join(import.meta.dir, "official-azure.ts")], {
    stdin: new Response(JSON.stringify(task)),
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"]! },
  });
  return (await new Response(program.stdout).json()) as string;
}

function compare(scenarios: readonly Scenario[]): void {
  test.each(scenarios)(
    "$name: the same requests as the official library",
    async (scenario) => {
      const ours = await watch(() => obtain(scenario));
      const official = await watch(() => obtainOfficially(scenario));
      expect([cloud.ownerOf(ours.result), cloud.ownerOf(official.result) ?? official.result]).toEqual([scenario.owner, scenario.owner]);
      expect(ours.requests).toHaveLength(1);
      expect(ours.requests).toEqual(official.requests);
    },
    200_000,
  );
}

describe("access tokens of Azure", () => compare(SCENARIOS));
describe.skipIf(!openssl)("access tokens of Azure with a certificate", () => compare(WITH_CERTIFICATE));
