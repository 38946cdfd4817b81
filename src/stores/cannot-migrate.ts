/** A data folder or database that cannot be migrated. The message says why and what to do. The data is unchanged. */
export class CannotMigrate extends Error {
  override readonly name = "CannotMigrate";
}

/** The error for a folder with a migration or file format from a newer version. */
export function usedByNewerVersion(folder: string, unknown: string): CannotMigrate {
  const remedy = "start that version or a newer one, or restore a backup from before the upgrade";
  return new CannotMigrate(`the data in ${folder} was used by a newer Tollgate (this version does not know ${unknown}): ${remedy}`);
}

/** The error for data that no release has written. `where`: a data folder, a database or a backup. */
export function writtenBeforeFirstRelease(where: string): CannotMigrate {
  const remedy = "start with an empty data folder or database. To keep its records, export them with the version that wrote it";
  return new CannotMigrate(
    `${where} was written by a version before the first release, and cannot be upgraded. It is unchanged: ${remedy}`,
  );
}
