/** A file that a variable names. */
export interface NamedFile {
  readonly variable: string;
  readonly path: string;
}

/** The files of a TLS certificate and its key. */
export interface TlsFiles {
  readonly certificate: NamedFile;
  readonly key: NamedFile;
}
