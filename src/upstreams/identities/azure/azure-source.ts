import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { AzureIdentity, AzureCloud } from "../../../models/identities/identity.ts";
import { readNamedFile } from "../read-text-file.ts";
import {
  IdentityFailure,
  type AccessToken,
  type CredentialSource,
  type ObtainedCredentials,
  type IdentityFailureReason,
} from "../credential-source.ts";
import { fromManagedIdentity } from "./managed-identity.ts";
import { constants } from "node:crypto";
import { readClientCertificate, type ClientCertificate } from "../../../lib/secret/client-certificate.ts";
import { callCloud, type CloudReply, type CloudAddressPolicy } from "../call-cloud.ts";
import { CloudClock } from "../cloud-clock.ts";
import { readTokenReply } from "./token-reply.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import { truncate } from "../../../lib/text/truncate.ts";
import { tryParse } from "../../../lib/json/try-parse.ts";
import { signJwt } from "../sign-jwt.ts";

interface FoundClient {
  readonly tenantId: string;
  readonly clientId: string;
  readonly prove: Proof;
  readonly source: string;
}

/**
 * Access tokens of Azure, for the identity's own secret or certificate, or for the credentials that Microsoft's libraries would find on
 * this machine.
 */
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

  async obtain(signal: CancelSignal): Promise<ObtainedCredentials<AccessToken>> {
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

  /** The secret in the environment belongs to the client in the environment: no other client can use it. */
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

  async #fromManagedIdentity(resource: string, signal: CancelSignal): Promise<ObtainedCredentials<AccessToken>> {
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

/** The lifetime of an assertion, the same as in Microsoft's own library. */
const LIFETIME_SECONDS = 600;

/**
 * Proves a client's identity by assertions that the key of its certificate signs. `from` names the source of the certificate in messages.
 */
function certificateProof(pem: string, clientId: string, from: string): Proof {
  const certificate = readCertificate(pem, from);
  return (endpoint, atMs) => ({
    client_assertion: signedAssertion(certificate, clientId, endpoint, atMs),
    client_assertion_type: ASSERTION_TYPE,
  });
}

/** https://learn.microsoft.com/entra/identity-platform/certificate-credentials */
function signedAssertion({ key, thumbprint }: ClientCertificate, clientId: string, endpoint: string, atMs: number): string {
  const now = Math.floor(atMs / 1000);
  const header = { alg: "PS256", typ: "JWT", "x5t#S256": thumbprint };
  const claims = {
    aud: endpoint,
    exp: now + LIFETIME_SECONDS,
    iss: clientId,
    sub: clientId,
    nbf: now,
    jti: crypto.randomUUID(),
    iat: now,
  };
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return signJwt(header, claims, { key, ...padding });
}

function readCertificate(pem: string, from: string): ClientCertificate {
  const read = readClientCertificate(pem);
  if ("problem" in read) throw new IdentityFailure("rejected", `${from} ${read.problem}`);
  return read;
}

/** A registered application, and how it proves its identity. */
interface EntraClient {
  readonly tenantId: string;
  readonly clientId: string;
  readonly prove: Proof;
}

/** The fields of a token request that prove the client's identity, for this token endpoint at this time. */
type Proof = (endpoint: string, atMs: number) => ProofFields;

type ProofFields =
  | { readonly client_secret: string }
  | { readonly client_assertion: string; readonly client_assertion_type: typeof ASSERTION_TYPE };

/** RFC 7523 §2.2. */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** Access tokens of Entra ID for applications (client credentials, RFC 6749 §4.4). */
class EntraTokens {
  readonly #clock: CloudClock;

  constructor(nowMs: () => number) {
    this.#clock = new CloudClock({ nowMs });
  }

  get clockSkewMs(): number {
    return this.#clock.skewMs;
  }

  /** If a server with another clock rejects an assertion, it is signed again with the server's time. */
  async obtain(client: EntraClient, authority: Authority, resource: string, signal: CancelSignal): Promise<AccessToken> {
    const endpoint = `${authority.url}/${encodeURIComponent(client.tenantId)}/oauth2/v2.0/token`;
    const request = async (): Promise<{ reply: CloudReply; fields: ProofFields }> => {
      const fields = client.prove(endpoint, this.#clock.nowMs());
      const form = { client_id: client.clientId, scope: `${resource}/.default`, grant_type: "client_credentials", ...fields };
      const headers = { "content-type": "application/x-www-form-urlencoded;charset=utf-8", accept: "application/json" };
      const body = new URLSearchParams(form).toString();
      return { reply: await callCloud({ url: endpoint, at: authority.at, headers, body }, signal), fields };
    };
    let { reply, fields } = await request();
    if (isAboutTime(reply) && this.#clock.correct(reply.serverMs)) ({ reply, fields } = await request());
    if (reply.status !== 200) throw entraFailure(reply, Object.values(fields));
    return readTokenReply(reply, "Entra ID", this.#clock.localMs());
  }
}

/** The server that issues access tokens. */
interface Authority {
  /** The URL without a trailing slash. */
  readonly url: string;
  readonly at: CloudAddressPolicy;
}

/** The sign-in hosts: https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud */
const AUTHORITIES: Readonly<Record<AzureCloud, string>> = {
  public: "https://login.microsoftonline.com",
  usgovernment: "https://login.microsoftonline.us",
  china: "https://login.partner.microsoftonline.cn",
};

/** The resource that an access token is for: Azure OpenAI and AI Foundry have the same resource. */
const RESOURCES: Readonly<Record<AzureCloud, string>> = {
  public: "https://cognitiveservices.azure.com",
  usgovernment: "https://cognitiveservices.azure.us",
  china: "https://cognitiveservices.azure.cn",
};

export function resourceOf(cloud: AzureCloud): string {
  return RESOURCES[cloud];
}

/** `AZURE_AUTHORITY_HOST` is the default of this machine; a cloud that the identity names takes precedence. */
export function authorityOf(cloud: AzureCloud, { AZURE_AUTHORITY_HOST: host }: CloudVariables): Authority {
  if (cloud !== "public" || !host) return { url: AUTHORITIES[cloud], at: "internet" };
  const url = URL.parse(host.reveal());
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new IdentityFailure("rejected", "AZURE_AUTHORITY_HOST is not a URL, such as https://login.microsoftonline.com");
  }
  return { url: url.origin, at: "chosen" };
}

const MAX_MESSAGE_CHARS = 500;

const OUTSIDE_ITS_TIME = 700024;

const UNREGISTERED: Cause = ["rejected", "Add a federated credential with this issuer, subject and audience to the application."];
const NO_TENANT: Cause = ["rejected", "Check tenant_id, and cloud: a tenant exists in one cloud only."];

type Cause = readonly [reason: IdentityFailureReason, advice: string];

/** Advice for specific error codes: https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const CAUSES: ReadonlyMap<number, Cause> = new Map<number, Cause>([
  [7000215, ["rejected", "The client secret is wrong: use its value, not its ID."]],
  [7000222, ["expired", "The client secret has expired: create a new one under Certificates & secrets of the application."]],
  [700016, ["rejected", "There is no such application in this tenant: check client_id and tenant_id."]],
  [7000112, ["permission", "The application is disabled: enable its enterprise application."]],
  [90002, NO_TENANT],
  [900023, NO_TENANT],
  [
    700027,
    ["rejected", "The certificate is not registered, or its time is over: upload it under Certificates & secrets of the application."],
  ],
  [
    OUTSIDE_ITS_TIME,
    [
      "clock_skew",
      "Set the clock of this machine. With workload identity, check that the file of AZURE_FEDERATED_TOKEN_FILE is replaced in time.",
    ],
  ],
  [70021, UNREGISTERED],
  [700211, UNREGISTERED],
  [700212, UNREGISTERED],
  [700213, UNREGISTERED],
  [53003, ["permission", "A Conditional Access policy blocks the application: exclude it, or allow the addresses of this machine."]],
  [500011, ["rejected", "The resource is not in this tenant: check cloud, and that the tenant has an Azure AI resource."]],
]);

/** Whether an assertion was rejected because of its time. */
function isAboutTime(reply: CloudReply): boolean {
  return reply.status !== 200 && codesIn(reply).includes(OUTSIDE_ITS_TIME);
}

/** Why Entra ID refused an access token, with advice for the operator. */
function entraFailure(reply: CloudReply, sent: readonly string[]): IdentityFailure {
  const { status } = reply;
  const message = sent.reduce((text, secret) => new Secret(secret).redactFrom(text), descriptionIn(reply));
  const cause = codesIn(reply)
    .map((code) => CAUSES.get(code))
    .find((each) => each !== undefined);
  const [reason, advice] = cause ?? [status === 429 || status >= 500 ? "unreachable" : "rejected", undefined];
  const said = `Entra ID returned status ${status}: ${truncate(message, MAX_MESSAGE_CHARS)}`;
  return new IdentityFailure(reason, advice === undefined ? said : `${said} ${advice}`);
}

/** The message without trace IDs, which are in the lines after the first. */
function descriptionIn(reply: CloudReply): string {
  const body = tryParse(reply.text);
  const { error, error_description: description } = isObject(body) ? body : {};
  const said = typeof description === "string" ? description : error;
  const [line] = typeof said === "string" ? said.split(/\r?\n| Trace ID:/) : [];
  return (line || "no reason given").replace(/\.?\s*$/, ".");
}

function codesIn(reply: CloudReply): readonly number[] {
  const body = tryParse(reply.text);
  const codes = isObject(body) ? body["error_codes"] : undefined;
  return Array.isArray(codes) ? codes.map(Number) : [];
}
