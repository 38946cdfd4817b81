import type { Secret } from "../../lib/secret/secret.ts";
import type { PreparedWrite, RecordWriter } from "../database.ts";

/** A config file that one process has declared for all processes of a database. */
export interface DeclaredFile {
  /** Files with the same digest have the same declarations. */
  readonly digest: string;
  /** Its declarations, with their credentials. Undefined if no configured secret decrypts them. */
  readonly content: Secret | undefined;
  /** The process that has declared it. */
  readonly declaredBy: string;
}

/** Writes the changes that follow from a declared file, in the same transaction. */
export type DeclaredFileWriter = RecordWriter;
export type DeclaredFileListener = (file: DeclaredFile, writer: DeclaredFileWriter) => Promise<void>;

/** The config file that all processes of a database serve. */
export interface DeclaredFileStore {
  /** The declared file, as of the last change that this process has seen; undefined if there is none. Served from memory. */
  current(): DeclaredFile | undefined;
  /**
   * Calls the listener with the declared file, if there is one, and later with each file that another process declares. No other change is
   * made to a record in memory meanwhile. If the listener throws, it is called again. It must write with `writer`. Resolves after the first
   * call. Throws `StorageUnavailable`.
   */
  follow(listener: DeclaredFileListener): Promise<void>;
  /**
   * Prepares the declaration of a file by this process, which replaces the previous one. Nothing is written or in force until
   * `CatalogStore.declare` writes this together with its own change.
   */
  prepare(digest: string, content: Secret): PreparedWrite;
}
