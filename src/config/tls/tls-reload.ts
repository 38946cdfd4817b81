import type { X509Certificate } from "node:crypto";
import type { Log } from "../../lib/log/log.ts";
import { isAddress } from "../../lib/net/ip-address.ts";
import type { TlsPair, TlsPairSource } from "../../lib/net/tls-pair.ts";
import { readTlsPair, type ReadPair } from "./read-tls-pair.ts";
import type { TlsFiles } from "./tls-files.ts";
import { watchFiles } from "../watch-files.ts";
import { messageOf } from "../../lib/text/message-of.ts";

export interface TlsReloadOptions {
  readonly files: TlsFiles;
  /** The host of the URL that clients use. */
  readonly hostname: string;
  readonly log: Pick<Log, "write">;
  readonly nowMs: () => number;
}

/**
 * Hot reload of a TLS certificate and its key, when a file changes or on request. If a pair cannot be used, the previous pair stays in
 * force.
 */
export class TlsReload implements TlsPairSource {
  readonly #options: TlsReloadOptions;
  readonly #stopWatching: () => void;
  #read: ReadPair;
  /** Called after each change. */
  onChange: (() => void) | undefined;

  /** Throws `ConfigError` if the files cannot be used. */
  constructor(options: TlsReloadOptions) {
    const { certificate, key } = options.files;
    this.#options = options;
    this.#read = readTlsPair(options.files);
    this.#warn();
    this.#stopWatching = watchFiles([certificate.path, key.path], () => this.reload());
  }

  get current(): TlsPair {
    return this.#read.pair;
  }

  /** The file that clients need to verify a self-signed certificate; undefined for other certificates. */
  get selfSignedFile(): string | undefined {
    const { certificate } = this.#read;
    return certificate.checkIssued(certificate) ? this.#options.files.certificate.path : undefined;
  }

  reload(): void {
    const { files, log } = this.#options;
    try {
      const next = readTlsPair(files);
      if (isSame(next.pair, this.current)) return;
      this.#read = next;
      const until = next.certificate.validToDate.toISOString();
      log.write({ event: "tls_reloaded", message: `${files.certificate.variable}: ${files.certificate.path} is in force, until ${until}` });
      this.#warn();
      this.onChange?.();
    } catch (error) {
      const problem = messageOf(error);
      const message = `the TLS certificate was rejected, and the previous one stays in force: ${problem}`;
      log.write({ level: "warn", event: "tls_rejected", message });
    }
  }

  close(): void {
    this.#stopWatching();
  }

  #warn(): void {
    const { log } = this.#options;
    for (const message of warningsOf(this.#read, this.#options)) log.write({ level: "warn", event: "tls_warning", message });
  }
}

/**
 * These are not errors: Kubernetes mounts a secret with files that every user can read, and a wrong clock or name may be corrected later.
 */
function warningsOf({ certificate, isKeyOpenToAll }: ReadPair, { files, hostname, nowMs }: TlsReloadOptions): string[] {
  const { variable, path } = files.certificate;
  const now = new Date(nowMs());
  const { validFromDate, validToDate, subjectAltName } = certificate;
  return [
    ...(isKeyOpenToAll ? [`${files.key.variable}: ${files.key.path} can be read by every user of this machine`] : []),
    ...(validToDate < now ? [`${variable}: ${path} has expired on ${validToDate.toISOString()}`] : []),
    ...(validFromDate > now ? [`${variable}: ${path} is not valid before ${validFromDate.toISOString()}`] : []),
    ...(isFor(certificate, hostname)
      ? []
      : [`${variable}: ${path} is not for ${hostname}, which clients connect to: it is for ${subjectAltName}`]),
  ];
}

function isFor(certificate: X509Certificate, hostname: string): boolean {
  return (isAddress(hostname) ? certificate.checkIP(hostname) : certificate.checkHost(hostname)) !== undefined;
}

function isSame(one: TlsPair, other: TlsPair): boolean {
  return one.certificates === other.certificates && one.key.equals(other.key);
}
