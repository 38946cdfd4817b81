import type { Secret } from "../secret/secret.ts";

/** The certificate and key with which a TLS server identifies itself, in PEM. */
export interface TlsPair {
  /** The server's certificate, and the intermediate certificates up to its root. */
  readonly certificates: string;
  readonly key: Secret;
}

/** Holds the TLS pair of a listener, which is replaced when its certificate is renewed. */
export interface TlsPairSource {
  /** The pair for new connections. */
  readonly current: TlsPair;
}
