/** A data folder whose files cannot be brought up to date. The message says why, and what to do; nothing in the folder was changed. */
export class CannotMigrate extends Error {
  override readonly name = "CannotMigrate";
}

/** For a folder in which a newer version has left something that this one does not know. */
export function usedByNewerVersion(folder: string, unknown: string): CannotMigrate {
  const use = "start that version or a newer one, or restore a backup from before the upgrade";
  return new CannotMigrate(`the data in ${folder} was used by a newer Tollgate (this version does not know ${unknown}): ${use}`);
}
