/** A data folder that cannot be migrated. The message says why and what to do. Nothing in the folder was changed. */
export class CannotMigrate extends Error {
  override readonly name = "CannotMigrate";
}

/** The error for a folder with a migration or file format of a newer version. */
export function usedByNewerVersion(folder: string, unknown: string): CannotMigrate {
  const remedy = "start that version or a newer one, or restore a backup from before the upgrade";
  return new CannotMigrate(`the data in ${folder} was used by a newer Tollgate (this version does not know ${unknown}): ${remedy}`);
}
