import type { Secret } from "../secret/secret.ts";

/** What a TLS server identifies itself with, in PEM. */
export interface TlsPair {
  /** The server's certificate, and those that lead to its root. */
  readonly certificates: string;
  readonly key: Secret;
}

/** The pair of a listener, which is replaced when its certificate is renewed. */
export interface TlsPairSource {
  /** The pair for new connections. */
  readonly current: TlsPair;
}
