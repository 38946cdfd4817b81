import { StorageUnavailable } from "../requests/storage-unavailable.ts";
import { CannotMigrate } from "../stores/cannot-migrate.ts";
import { DataMoved } from "../stores/data-moved.ts";
import { DatabaseInUse, FolderInUse } from "../stores/folder-lock.ts";
import { CommandFailed } from "./command.ts";

/** The errors of modules that are loaded lazily, by name. */
const REFUSALS: ReadonlySet<string> = new Set([
  "BackupRefused",
  "CopyDiffers",
  "FolderDamaged",
  "MoveRefused",
  "OtherSecret",
  "ProcessesRunning",
]);

/**
 * Runs a command that uses storage without a gateway. `code` is the code of a refusal, for programs. Throws `CommandFailed` for errors that
 * an operator can fix.
 */
export async function explainStorage<Result>(code: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FolderInUse || error instanceof DatabaseInUse) throw new CommandFailed(`${error.message}. Stop it first.`);
    if (error instanceof CannotMigrate || error instanceof DataMoved) throw new CommandFailed(`${error.message}.`);
    if (error instanceof StorageUnavailable) throw new CommandFailed(`${error.message}: ${(error.cause as Error).message}`);
    if (error instanceof Error && REFUSALS.has(error.name)) throw new CommandFailed(`${error.message}.`, { problem: { code } });
    // For example, a folder cannot be created, or the disk is full.
    if (error instanceof Error && "code" in error) throw new CommandFailed(error.message);
    throw error;
  }
}
