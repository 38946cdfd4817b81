import type { Secret } from "../../lib/secret/secret.ts";
import type { PreparedWrite, RecordWriter } from "../database.ts";

/** A config file that one process has declared for all processes of a database. */
export interface DeclaredFile {
  /** Files with the same digest declare the same. */
  readonly digest: string;
  /** Its declarations, with their credentials. Undefined where none of the configured secrets decrypts it. */
  readonly content: Secret | undefined;
  /** The process that has declared it. */
  readonly declaredBy: string;
}

/** What follows from a declared file is written with it. */
export type DeclaredFileWriter = RecordWriter;
export type DeclaredFileListener = (file: DeclaredFile, writer: DeclaredFileWriter) => Promise<void>;

/** The config file that all processes of a database serve. */
export interface DeclaredFileStore {
  /** The declared file, as of the last change that this process has seen; undefined where there is none. Served from memory. */
  current(): DeclaredFile | undefined;
  /**
   * Calls the listener with the declared file, if there is one, and later with each other file that another process declares. Nothing else
   * changes a record in memory meanwhile; where the listener throws, it is called again. What it writes, it writes with `writer`. Resolves after
   * the first call. Throws `StorageUnavailable`.
   */
  follow(listener: DeclaredFileListener): Promise<void>;
  /**
   * Prepares the declaration of a file by this process, in the place of the one before. Nothing is written and nothing is in force until
   * `CatalogStore.declare` writes this together with its own change.
   */
  prepare(digest: string, content: Secret): PreparedWrite;
}
