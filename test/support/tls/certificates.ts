import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "../../clients/system-program.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";
import type { TlsPair } from "../../../src/lib/net/tls-pair.ts";

/** The program that creates certificates and connects with old TLS versions. If it is missing, the tests that need it are skipped. */
export const openssl = findProgram(["openssl"], "openssl");

/** The files of a certificate and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateOptions {
  /** The names in the certificate. */
  readonly names?: string;
  /** The issuer. Default: the certificate is self-signed. */
  readonly issuer?: CertificateFiles;
  readonly algorithm?: readonly string[];
}

const P256 = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

/** Creates a certificate and its key, as `NAME.crt` and `NAME.key` in a folder. */
export function makeCertificate(folder: string, name: string, options: CertificateOptions = {}): CertificateFiles {
  const { names = "DNS:localhost,IP:127.0.0.1", issuer, algorithm = P256 } = options;
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  const signing = issuer ? ["-CA", issuer.cert, "-CAkey", issuer.key] : [];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${names}`];
  const request = ["req", "-x509", "-newkey", ...algorithm, "-nodes", "-days", "30", "-keyout", files.key, "-out", files.cert];
  const { exitCode, stderr } = Bun.spawnSync([openssl!, ...request, ...subject, ...signing]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return files;
}

export function readPair({ cert, key }: CertificateFiles): TlsPair {
  return { certificates: readFileSync(cert, "utf8"), key: new Secret(readFileSync(key, "utf8")) };
}

/** The handshake that `openssl s_client` reports. */
export interface Handshake {
  /** `TLSv1.3`, for example; undefined if the handshake failed. */
  readonly version: string | undefined;
  readonly alpn: string | undefined;
  readonly cipher: string | undefined;
  /** The common name of the certificate. */
  readonly subject: string | undefined;
  readonly error: string | undefined;
}

/** Connects with `openssl s_client`, with ciphers and versions that other clients no longer support. */
export async function shakeHands(port: number, ...options: string[]): Promise<Handshake> {
  const child = Bun.spawn([openssl!, "s_client", "-connect", `127.0.0.1:${port}`, ...options], {
    stdin: Buffer.from(""),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, trouble] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const found = (pattern: RegExp, text = output): string | undefined => pattern.exec(text)?.[1];
  const cipher = found(/^New, .*Cipher is (?!\(NONE\))(\S+)$/m);
  return {
    version: cipher && found(/^New, (\S+),/m),
    alpn: found(/^ALPN protocol: (\S+)$/m),
    cipher,
    subject: found(/^subject=.*CN ?= ?(\S+)$/m),
    error: found(/:(?:tlsv1|sslv3) alert ([^:]+):/, trouble),
  };
}
