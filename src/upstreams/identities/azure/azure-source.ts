import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { AzureIdentity } from "../../../models/identities/identity.ts";
import { readNamedFile } from "../read-text-file.ts";
import { IdentityFailure, type AccessToken, type CredentialSource, type Obtained } from "../credential-source.ts";
import { authorityOf, resourceOf } from "./azure-endpoints.ts";
import { certificateProof } from "./client-certificate.ts";
import { ASSERTION_TYPE, EntraTokens, type Proof } from "./entra-tokens.ts";
import { fromManagedIdentity } from "./managed-identity.ts";

interface FoundClient {
  readonly tenantId: string;
  readonly clientId: string;
  readonly prove: Proof;
  readonly source: string;
}

/** Access tokens of Azure: of the identity's own secret or certificate, or as Microsoft's libraries find them on this machine. */
export class AzureSource implements CredentialSource<AccessToken> {
  readonly #identity: AzureIdentity;
  readonly #variables: CloudVariables;
  readonly #nowMs: () => number;
  readonly #entra: EntraTokens;

  constructor(identity: AzureIdentity, variables: CloudVariables, nowMs: () => number = Date.now) {
    this.#identity = identity;
    this.#variables = variables;
    this.#nowMs = nowMs;
    this.#entra = new EntraTokens(nowMs);
  }

  get clockSkewMs(): number {
    return this.#entra.clockSkewMs;
  }

  async obtain(signal: CancelSignal): Promise<Obtained<AccessToken>> {
    const { cloud } = this.#identity;
    const resource = resourceOf(cloud);
    const client = this.#ownClient() ?? (await this.#environmentClient()) ?? (await this.#workloadClient());
    if (!client) return this.#fromManagedIdentity(resource, signal);
    const credentials = await this.#entra.obtain(client, authorityOf(cloud, this.#variables), resource, signal);
    return { credentials, source: client.source };
  }

  #ownClient(): FoundClient | undefined {
    const { tenantId, clientId, clientSecret, certificate } = this.#identity;
    if (tenantId === undefined || clientId === undefined) return undefined;
    if (clientSecret) return bySecret(tenantId, clientId, clientSecret, "its client secret");
    return certificate && byCertificate(tenantId, clientId, certificate.reveal(), "the field certificate");
  }

  /** The secret of the environment is that of the client of the environment: no other can use it. */
  async #environmentClient(): Promise<FoundClient | undefined> {
    const { AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET: secret, AZURE_CLIENT_CERTIFICATE_PATH: path } = this.#variables;
    const { tenantId = AZURE_TENANT_ID?.reveal(), clientId = AZURE_CLIENT_ID?.reveal() } = this.#identity;
    if (tenantId === undefined || clientId === undefined || clientId !== AZURE_CLIENT_ID?.reveal()) return undefined;
    if (secret) return bySecret(tenantId, clientId, secret, "AZURE_CLIENT_SECRET");
    if (!path) return undefined;
    const pem = await readNamedFile(path.reveal(), "AZURE_CLIENT_CERTIFICATE_PATH");
    return byCertificate(tenantId, clientId, pem, `${path.reveal()} (AZURE_CLIENT_CERTIFICATE_PATH)`);
  }

  /** The file is read each time: Kubernetes replaces it every hour. */
  async #workloadClient(): Promise<FoundClient | undefined> {
    const { AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_FEDERATED_TOKEN_FILE: file } = this.#variables;
    const { tenantId = AZURE_TENANT_ID?.reveal(), clientId = AZURE_CLIENT_ID?.reveal() } = this.#identity;
    if (!file || tenantId === undefined || clientId === undefined) return undefined;
    const assertion = (await readNamedFile(file.reveal(), "AZURE_FEDERATED_TOKEN_FILE")).trim();
    if (assertion === "") throw new IdentityFailure("missing", `${file.reveal()} is empty: AZURE_FEDERATED_TOKEN_FILE names it`);
    const prove: Proof = () => ({ client_assertion: assertion, client_assertion_type: ASSERTION_TYPE });
    return { tenantId, clientId, prove, source: `the workload identity ${clientId}, by ${file.reveal()}` };
  }

  async #fromManagedIdentity(resource: string, signal: CancelSignal): Promise<Obtained<AccessToken>> {
    const clientId = this.#identity.clientId ?? this.#variables.AZURE_CLIENT_ID?.reveal();
    try {
      return await fromManagedIdentity(this.#variables, { clientId, resource }, this.#nowMs, signal);
    } catch (error) {
      if (!(error instanceof IdentityFailure) || error.reason !== "unreachable") throw error;
      throw new IdentityFailure("unreachable", `${this.#whatIsMissing()}; the managed identity failed: ${error.message}`);
    }
  }

  #whatIsMissing(): string {
    const variables = ["AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE"] as const;
    const set = variables.find((name) => this.#variables[name]);
    return set === undefined
      ? `none of ${variables.join(", ")} is set`
      : `${set} is set, but not for this client: it needs AZURE_TENANT_ID and AZURE_CLIENT_ID`;
  }
}

function bySecret(tenantId: string, clientId: string, secret: Secret, from: string): FoundClient {
  return { tenantId, clientId, prove: () => ({ client_secret: secret.reveal() }), source: `the client ${clientId} with ${from}` };
}

function byCertificate(tenantId: string, clientId: string, pem: string, from: string): FoundClient {
  return {
    tenantId,
    clientId,
    prove: certificateProof(pem, clientId, from),
    source: `the client ${clientId} with the certificate in ${from}`,
  };
}
