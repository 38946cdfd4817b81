import { constants, verify, X509Certificate } from "node:crypto";
import type { AzureIdentity } from "../../src/models/identities/identity.ts";

/** An application that is registered in a tenant of the double. */
export interface RegisteredClient {
  readonly clientId: string;
  readonly secret?: string;
  /** Whether the secret has expired. */
  readonly isExpired?: boolean;
  /** Whether a policy blocks the application. */
  readonly isBlocked?: boolean;
  /** A certificate as PEM. */
  readonly certificate?: string;
  /** The accepted tokens of other issuers, such as the token of a Kubernetes service account. */
  readonly federated?: Set<string>;
}

/** An error of Entra ID, by its number. */
export interface EntraRefusal {
  readonly status: number;
  readonly error: string;
  readonly code: number;
  readonly message: string;
}

/** The identity of the machine: nothing is configured. */
export const MACHINE_IDENTITY: AzureIdentity = {
  kind: "azure",
  tenantId: undefined,
  clientId: undefined,
  clientSecret: undefined,
  certificate: undefined,
  cloud: "public",
};

export const TENANT = "11111111-1111-1111-1111-111111111111";
export const RESOURCE = "https://cognitiveservices.azure.com";
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/** How far the times of an assertion may be in the future. */
const TOLERATED_MS = 5 * 60_000;
const MAX_ASSERTION_SECONDS = 24 * 3600;

/** A tenant of Entra ID that the doubles of Azure share: its applications, and the access tokens that it has issued. */
export class AzureCloud {
  readonly clients = new Map<string, RegisteredClient>();
  readonly #tokens = new Map<string, { readonly owner: string; readonly expiresAtMs: number }>();
  readonly #usedAssertions = new Set<string>();
  /** How far this clock is ahead of the machine's clock. */
  skewMs = 0;
  lifetimeMs = 3_600_000;

  nowMs(): number {
    return Date.now() + this.skewMs;
  }

  add(client: RegisteredClient): RegisteredClient {
    this.clients.set(client.clientId, client);
    return client;
  }

  /** Issues an access token for an owner, in the form of Entra ID. */
  issue(owner: string): { readonly token: string; readonly expiresAtMs: number } {
    const part = Buffer.from(JSON.stringify({ typ: "JWT", number: this.issued })).toString("base64url");
    const issued = { owner, expiresAtMs: this.nowMs() + this.lifetimeMs };
    const token = `${part}.${Buffer.from(owner).toString("base64url")}.signature-${this.issued}`;
    this.#tokens.set(token, issued);
    return { token, expiresAtMs: issued.expiresAtMs };
  }

  get issued(): number {
    return this.#tokens.size;
  }

  ownerOf(token: string): string | undefined {
    return this.#tokens.get(token)?.owner;
  }

  /** Whether an access token was issued here and has not expired. */
  isValid(token: string): boolean {
    return (this.#tokens.get(token)?.expiresAtMs ?? 0) > this.nowMs();
  }

  /** The sender of a token request to this endpoint. */
  authenticate(form: URLSearchParams, tenant: string, endpoints: readonly string[]): RegisteredClient | EntraRefusal {
    const twice = [...form.keys()].find((name) => form.getAll(name).length > 1);
    if (twice !== undefined) return refusal(400, "invalid_request", 900144, `The parameter '${twice}' is duplicated.`);
    if (tenant !== TENANT) return refusal(400, "invalid_request", 90002, `Tenant '${tenant}' not found.`);
    if (form.get("grant_type") !== "client_credentials")
      return refusal(400, "unsupported_grant_type", 70003, "The grant type is not supported.");
    if (form.get("scope") !== `${RESOURCE}/.default`) return refusal(400, "invalid_scope", 70011, "The scope is not valid.");
    const client = this.clients.get(form.get("client_id") ?? "");
    if (!client)
      return refusal(400, "unauthorized_client", 700016, `Application '${form.get("client_id")}' was not found in the directory.`);
    const problem = form.has("client_secret") ? problemOfSecret(form, client) : this.#problemOfAssertion(form, client, endpoints);
    if (problem) return problem;
    return client.isBlocked ? refusal(400, "invalid_grant", 53003, "Access has been blocked by Conditional Access policies.") : client;
  }

  #problemOfAssertion(form: URLSearchParams, client: RegisteredClient, endpoints: readonly string[]): EntraRefusal | undefined {
    const assertion = form.get("client_assertion") ?? "";
    if (form.get("client_assertion_type") !== ASSERTION_TYPE) return refusal(401, "invalid_client", 7000218, "No client_assertion.");
    if (client.federated) {
      return client.federated.has(assertion)
        ? undefined
        : refusal(401, "invalid_client", 700213, "No matching federated identity record found.");
    }
    return this.#problemOfSignedAssertion(assertion, client, endpoints);
  }

  #problemOfSignedAssertion(assertion: string, client: RegisteredClient, endpoints: readonly string[]): EntraRefusal | undefined {
    const certificate = new X509Certificate(client.certificate!);
    const [header, claims, signature] = assertion.split(".").map((part) => Buffer.from(part, "base64url"));
    const { alg, typ, ...rest } = JSON.parse(header!.toString()) as Record<string, unknown>;
    const thumbprint = Buffer.from(certificate.fingerprint256.replaceAll(":", ""), "hex").toString("base64url");
    const isKnown = alg === "PS256" && typ === "JWT" && rest["x5t#S256"] === thumbprint && Object.keys(rest).length === 1;
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const input = Buffer.from(assertion.slice(0, assertion.lastIndexOf(".")));
    const isSigned = isKnown && verify("sha256", input, { key: certificate.publicKey, ...padding }, signature!);
    if (!isSigned)
      return refusal(
        401,
        "invalid_client",
        700027,
        "The certificate with identifier used to sign the client assertion is not registered on application.",
      );
    return this.#problemOfClaims(JSON.parse(claims!.toString()) as Record<string, unknown>, client.clientId, endpoints);
  }

  #problemOfClaims(claims: Record<string, unknown>, clientId: string, endpoints: readonly string[]): EntraRefusal | undefined {
    const { aud, iss, sub, jti, nbf, iat, exp, ...others } = claims;
    const areRight = endpoints.includes(String(aud)) && iss === clientId && sub === clientId && Object.keys(others).length === 0;
    if (!areRight || typeof jti !== "string") return refusal(401, "invalid_client", 700021, "Client assertion claims are wrong.");
    const [fromMs, untilMs] = [Math.max(Number(nbf), Number(iat)) * 1000, Number(exp) * 1000];
    const isInTime = fromMs <= this.nowMs() + TOLERATED_MS && untilMs > this.nowMs() && untilMs - fromMs <= MAX_ASSERTION_SECONDS * 1000;
    if (!isInTime) return refusal(401, "invalid_client", 700024, "Client assertion is not within its valid time range.");
    if (this.#usedAssertions.has(jti)) return refusal(401, "invalid_client", 700025, "Client assertion was used before.");
    this.#usedAssertions.add(jti);
    return undefined;
  }
}

export function isRefusal(verdict: RegisteredClient | EntraRefusal): verdict is EntraRefusal {
  return "code" in verdict;
}

function problemOfSecret(form: URLSearchParams, { secret, isExpired, clientId }: RegisteredClient): EntraRefusal | undefined {
  if (form.get("client_secret") !== secret) {
    return refusal(
      401,
      "invalid_client",
      7000215,
      `Invalid client secret provided. Ensure the secret being sent is the client secret value, for app '${clientId}'.`,
    );
  }
  return isExpired
    ? refusal(401, "invalid_client", 7000222, `The provided client secret keys for app '${clientId}' are expired.`)
    : undefined;
}

function refusal(status: number, error: string, code: number, message: string): EntraRefusal {
  return { status, error, code, message };
}
