/** One thing that a start depends on. */
export interface Check {
  readonly name: string;
  /** `failed`: the gateway does not start, or would not work. */
  readonly status: "ok" | "warning" | "failed";
  /** What was found, and what to do about it. */
  readonly detail: string;
}

/** What a start of this version would find, and do. */
export interface PreflightReport {
  /** The data folder, or the address of the database. */
  readonly storage: string;
  readonly checks: readonly Check[];
  readonly migrations: readonly PendingMigration[];
}

export interface PendingMigration {
  readonly name: string;
  /** Whether processes of the previous version can run during it and after it. */
  readonly isRolling: boolean;
  readonly locks: string;
}

export function ok(name: string, detail: string): Check {
  return { name, status: "ok", detail };
}

export function warning(name: string, detail: string): Check {
  return { name, status: "warning", detail };
}

export function failed(name: string, detail: string): Check {
  return { name, status: "failed", detail };
}
