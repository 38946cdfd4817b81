/** A data folder whose tables cannot be brought up to date. The message says why, and what to do; nothing in the folder was changed. */
export class CannotMigrate extends Error {
  override readonly name = "CannotMigrate";
}
