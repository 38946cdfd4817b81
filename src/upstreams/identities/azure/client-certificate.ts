import { constants, createPrivateKey, sign, X509Certificate, type KeyObject } from "node:crypto";
import { IdentityFailure } from "../credential-source.ts";
import { ASSERTION_TYPE, type Proof } from "./entra-tokens.ts";

/** As long as Microsoft's own library allows. */
const LIFETIME_SECONDS = 600;

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN ((?:RSA |ENCRYPTED )?PRIVATE KEY)-----[^]+?-----END \1-----/;

interface ClientCertificate {
  readonly key: KeyObject;
  /** SHA-256 of the certificate, as base64url: by it, Entra ID finds the one that was uploaded. */
  readonly thumbprint: string;
}

/** Proves a client by assertions that its certificate's key signs. `from` names the text in messages. */
export function certificateProof(pem: string, clientId: string, from: string): Proof {
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
  const input = `${encode(header)}.${encode(claims)}`;
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return `${input}.${sign("sha256", Buffer.from(input), { key, ...padding }).toString("base64url")}`;
}

/** The key may be before or after its certificate, among those of a chain. */
function readCertificate(pem: string, from: string): ClientCertificate {
  const key = readKey(pem, from);
  const certificates = (pem.match(CERTIFICATES) ?? []).map((text) => parse(() => new X509Certificate(text)));
  if (certificates.length === 0 || certificates.includes(undefined)) throw unfit(from, "has no certificate as PEM beside its private key");
  const own = certificates.find((certificate) => certificate?.checkPrivateKey(key));
  if (!own) throw unfit(from, "has a private key that is not that of its certificate");
  return { key, thumbprint: Buffer.from(own.fingerprint256.replaceAll(":", ""), "hex").toString("base64url") };
}

function readKey(pem: string, from: string): KeyObject {
  const [text, kind] = PRIVATE_KEY.exec(pem) ?? [];
  if (text === undefined) throw unfit(from, "has no private key as PEM beside its certificate");
  if (kind!.startsWith("ENCRYPTED") || text.includes("ENCRYPTED"))
    throw unfit(from, "has a private key with a password: remove the password");
  const key = parse(() => createPrivateKey(text));
  if (key?.asymmetricKeyType !== "rsa") throw unfit(from, "has a private key that is not an RSA key: Entra ID takes no others");
  return key;
}

function unfit(from: string, problem: string): IdentityFailure {
  return new IdentityFailure("rejected", `${from} ${problem}`);
}

/** Without the error's message, which might quote the key. */
function parse<Parsed>(read: () => Parsed): Parsed | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
