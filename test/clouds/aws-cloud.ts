import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";

/** Keys that a double has issued, or that belong to one of its users. */
export interface IssuedKeys {
  readonly owner: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly expiresAtMs: number;
}

/** Why a request is rejected, with the error codes of AWS. */
export interface Refusal {
  readonly code: "MissingAuthenticationToken" | "InvalidClientTokenId" | "ExpiredToken" | "SignatureDoesNotMatch" | "RequestExpired";
  readonly message: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=[\da-f]{64}$/;
const TOLERATED_MS = 5 * 60_000;

/** The accounts that the doubles of AWS share: the valid keys, and whether a request is signed with one of them. */
export class AwsCloud {
  readonly #keys = new Map<string, IssuedKeys>();
  readonly #localMs: () => number;
  /** How far this clock is ahead of the machine's clock. */
  skewMs = 0;
  lifetimeMs = 3_600_000;
  #count = 0;

  constructor(localMs: () => number = Date.now) {
    this.#localMs = localMs;
  }

  nowMs(): number {
    return this.#localMs() + this.skewMs;
  }

  /** Issues temporary keys. */
  issue(owner: string): IssuedKeys {
    const number = ++this.#count;
    const accessKeyId = `ASIA${String(number).padStart(16, "0")}`;
    const keys = {
      owner,
      accessKeyId,
      secretAccessKey: `secret+of/${number}`,
      sessionToken: `session/token+${number}==`,
      expiresAtMs: Math.floor((this.nowMs() + this.lifetimeMs) / 1000) * 1000,
    };
    this.#keys.set(accessKeyId, keys);
    return keys;
  }

  /** Adds a user, whose keys do not expire. */
  addUser(accessKeyId: string): IssuedKeys {
    const keys = {
      owner: accessKeyId,
      accessKeyId,
      secretAccessKey: `secret/of+${accessKeyId}`,
      sessionToken: undefined,
      expiresAtMs: Infinity,
    };
    this.#keys.set(accessKeyId, keys);
    return keys;
  }

  revoke(accessKeyId: string): void {
    this.#keys.delete(accessKeyId);
  }

  ownerOf(accessKeyId: string): string | undefined {
    return this.#keys.get(accessKeyId)?.owner;
  }

  get issued(): number {
    return this.#count;
  }

  /** The signer of a request. The official signer signs the request again: both signatures must be equal. */
  async verify(request: Request, body: Uint8Array, service: string, region: string): Promise<IssuedKeys | Refusal> {
    const authorization = request.headers.get("authorization") ?? "";
    const [, accessKeyId, , signedRegion, signedService, names] = AUTHORIZATION.exec(authorization) ?? [];
    if (accessKeyId === undefined) return { code: "MissingAuthenticationToken", message: "Request is missing Authentication Token" };
    const keys = this.#keys.get(accessKeyId);
    if (!keys || (request.headers.get("x-amz-security-token") ?? undefined) !== keys.sessionToken) {
      return { code: "InvalidClientTokenId", message: "The security token included in the request is invalid." };
    }
    if (this.nowMs() >= keys.expiresAtMs) return { code: "ExpiredToken", message: "The security token included in the request is expired" };
    const signedAt = dateIn(request.headers.get("x-amz-date") ?? "");
    if (!(Math.abs(signedAt - this.nowMs()) <= TOLERATED_MS)) {
      const now = new Date(this.nowMs()).toISOString();
      return {
        code: "SignatureDoesNotMatch",
        message: `Signature expired: ${request.headers.get("x-amz-date")} is now earlier than ${now}`,
      };
    }
    const isInScope = signedRegion === region && signedService === service && ["host", "x-amz-date"].every((name) => names!.includes(name));
    const isSigned =
      isInScope && (await this.#sign(request, body, keys, { service, region, names: names!.split(";") }, signedAt)) === authorization;
    return isSigned ? keys : { code: "SignatureDoesNotMatch", message: "The request signature we calculated does not match." };
  }

  async #sign(
    request: Request,
    body: Uint8Array,
    keys: IssuedKeys,
    { service, region, names }: { service: string; region: string; names: readonly string[] },
    atMs: number,
  ): Promise<string | undefined> {
    const url = new URL(request.url);
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    const signer = new SignatureV4({
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      region,
      service,
      sha256: Sha256,
      applyChecksum: false,
    });
    const signed = await signer.sign(
      {
        method: request.method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: Object.fromEntries(names.map((name) => [name, request.headers.get(name) ?? ""])),
        body,
      },
      { signingDate: new Date(atMs) },
    );
    return signed.headers["authorization"];
  }
}

export function isRefusal(verdict: IssuedKeys | Refusal): verdict is Refusal {
  return "code" in verdict;
}

function dateIn(text: string): number {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
