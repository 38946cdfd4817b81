import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { TlsPair } from "../../lib/net/tls-pair.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { ConfigError } from "../config-error.ts";
import { readFileText, type FileText } from "../file-text.ts";
import type { NamedFile, TlsFiles } from "./tls-files.ts";

/** A certificate with its key, as read from their files. */
export interface ReadPair {
  readonly pair: TlsPair;
  /** The server's own certificate. */
  readonly certificate: X509Certificate;
  /** Whether every user of this machine can read the key. */
  readonly isKeyOpenToAll: boolean;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g;

/** Reads a certificate and its key. Throws `ConfigError`, which names the variable and the file, if a listener could not use them. */
export function readTlsPair(files: TlsFiles): ReadPair {
  const { text: certificates } = read(files.certificate);
  const key = read(files.key);
  const certificate = parseCertificate(certificates, files.certificate);
  if (!certificate.checkPrivateKey(parseKey(key.text, files.key))) {
    throw unusable(files.key, `is not the key of the certificate in ${files.certificate.path}`);
  }
  refuseUnsupported(certificates, key.text, files.certificate);
  return { pair: { certificates, key: new Secret(key.text) }, certificate, isKeyOpenToAll: key.isOpenToAll };
}

function read({ variable, path }: NamedFile): FileText {
  try {
    return readFileText(path, "impersonate this server");
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${variable}: ${error.message}`) : error;
  }
}

/** The first certificate is the server's own. */
function parseCertificate(text: string, file: NamedFile): X509Certificate {
  const found = text.match(CERTIFICATE);
  if (!found) throw unusable(file, "has no certificate in PEM format");
  try {
    return found.map((each) => new X509Certificate(each))[0]!;
  } catch {
    throw unusable(file, "has a certificate that cannot be read");
  }
}

/** The message of the parser could quote the key. */
function parseKey(text: string, file: NamedFile): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    const isEncrypted = (error as NodeJS.ErrnoException).code === "ERR_MISSING_PASSPHRASE";
    throw unusable(file, isEncrypted ? "is encrypted: store the key without a passphrase" : "has no private key in PEM format");
  }
}

/** Some algorithms can be parsed but not used. */
function refuseUnsupported(cert: string, key: string, file: NamedFile): void {
  try {
    createSecureContext({ cert, key });
  } catch {
    throw unusable(file, "has a certificate or a key of an algorithm that is not supported: use RSA, ECDSA (P-256, P-384) or Ed25519");
  }
}

function unusable({ variable, path }: NamedFile, problem: string): ConfigError {
  return new ConfigError(`${variable}: ${path} ${problem}`);
}
