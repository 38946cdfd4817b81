import type { RequestExport } from "../../access/request-export.ts";

/** A part of an export: complete lines, and their number. */
export interface ExportChunk {
  readonly text: string;
  readonly rows: number;
  /** The number of requests in the complete export, if it is known. */
  readonly total: number | null;
}

/**
 * `stopped`: the export is no longer running, because it was cancelled, deleted or interrupted. `full`: there is no space for exports. In
 * both cases nothing was added.
 */
export type AppendResult = "appended" | "stopped" | "full";

/**
 * Exports of requests: their state and their files. An expired export does not exist any more, and an export whose process has stopped is
 * interrupted. Methods throw `StorageUnavailable` if the storage cannot be used.
 */
export interface ExportStore {
  find(id: string): Promise<RequestExport | undefined>;
  /** The exports of an owner, newest first. There are few, so the list has no pages. */
  listOf(ownerId: string): Promise<readonly RequestExport[]>;
  /** Adds an export that this process writes. Returns false, and adds nothing, if its owner has the maximum number of exports. */
  add(added: RequestExport): Promise<boolean>;
  append(id: string, chunk: ExportChunk): Promise<AppendResult>;
  /** Ends a running export; an ended export is unchanged. The file is deleted unless the export is done. */
  end(id: string, state: "done" | "failed" | "cancelled", error?: string): Promise<void>;
  /** Deletes an export and its file. A running export stops. */
  remove(id: string): Promise<void>;
  /** Deletes every export that may contain requests of an account. */
  removeWithAccount(accountId: string): Promise<void>;
  /** The file of an export that is done. Throws if the file is incomplete. */
  read(found: RequestExport): AsyncGenerator<string, void>;
  /** Interrupts the exports that this process writes. */
  close(): Promise<void>;
}
