import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN ((?:RSA |ENCRYPTED )?PRIVATE KEY)-----[^]+?-----END \1-----/;

/** The certificate with which a client proves its identity in signed assertions. */
export interface ClientCertificate {
  readonly key: KeyObject;
  /** SHA-256 of the certificate, as base64url: a server uses it to find the uploaded certificate. */
  readonly thumbprint: string;
}

/** Why a text is not a client certificate, as a clause. It contains no part of the text. */
interface CertificateProblem {
  readonly problem: string;
}

/** Reads a certificate and its RSA key, as PEM. The key may be before or after its certificate, which may be part of a chain. */
export function readClientCertificate(pem: string): ClientCertificate | CertificateProblem {
  const key = readKey(pem);
  if ("problem" in key) return key;
  const certificates = (pem.match(CERTIFICATES) ?? []).map((text) => parse(() => new X509Certificate(text)));
  if (certificates.length === 0 || certificates.includes(undefined)) return { problem: "has no certificate as PEM beside its private key" };
  const own = certificates.find((certificate) => certificate?.checkPrivateKey(key));
  if (!own) return { problem: "has a private key that does not belong to its certificate" };
  return { key, thumbprint: Buffer.from(own.fingerprint256.replaceAll(":", ""), "hex").toString("base64url") };
}

function readKey(pem: string): KeyObject | CertificateProblem {
  const [text, kind] = PRIVATE_KEY.exec(pem) ?? [];
  if (text === undefined) return { problem: "has no private key as PEM beside its certificate" };
  if (kind!.startsWith("ENCRYPTED") || text.includes("ENCRYPTED"))
    return { problem: "has a private key with a password: remove the password" };
  const key = parse(() => createPrivateKey(text));
  return key?.asymmetricKeyType === "rsa" ? key : { problem: "has a private key that is not an RSA key: Entra ID takes no others" };
}

/** Parses without passing on the error's message, which might quote the key. */
function parse<Parsed>(read: () => Parsed): Parsed | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
