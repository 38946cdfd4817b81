import type { RequestExport } from "../../access/request-export.ts";

/** A part of an export: whole lines, with their number. */
export interface ExportChunk {
  readonly text: string;
  readonly rows: number;
  /** The number of requests that the export will have, if it is known. */
  readonly total: number | null;
}

/**
 * `stopped`: the export is no longer running, because it was cancelled, deleted or interrupted. `full`: there is no room for exports.
 * Nothing was added then.
 */
export type Appended = "appended" | "stopped" | "full";

/**
 * Exports of requests: their state, and their files. One that has expired does not exist, and one whose process has stopped is interrupted.
 * Methods throw `StorageUnavailable` where the storage cannot be used.
 */
export interface ExportStore {
  find(id: string): Promise<RequestExport | undefined>;
  /** The exports of an owner, newest first. There are few, so there are no pages. */
  listOf(ownerId: string): Promise<readonly RequestExport[]>;
  /** Adds an export, which this process writes. False where its owner has as many as allowed; nothing was added then. */
  add(added: RequestExport): Promise<boolean>;
  append(id: string, chunk: ExportChunk): Promise<Appended>;
  /** Ends an export that is running; one that has ended stays as it is. The file is deleted unless it is done. */
  end(id: string, state: "done" | "failed" | "cancelled", error?: string): Promise<void>;
  /** Deletes an export with its file. If it is running, it stops. */
  remove(id: string): Promise<void>;
  /** Deletes every export that may have requests of an account. */
  removeWithAccount(accountId: string): Promise<void>;
  /** The file of an export that is done. Throws where it is incomplete. */
  read(found: RequestExport): AsyncGenerator<string, void>;
  /** Exports that this process writes are interrupted. */
  close(): Promise<void>;
}
