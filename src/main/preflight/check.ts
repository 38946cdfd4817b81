/** One condition that a start depends on. */
export interface Check {
  readonly name: string;
  /** `failed`: the gateway does not start, or would not work. */
  readonly status: "ok" | "warning" | "failed";
  /** The finding, and the action to take. */
  readonly detail: string;
}

/** The result of checking whether this version could start, and what the start would do. */
export interface PreflightReport {
  /** The data folder, or the URL of the database. */
  readonly storage: string;
  readonly checks: readonly Check[];
  readonly migrations: readonly PendingMigration[];
}

export interface PendingMigration {
  readonly name: string;
  /** Whether processes of the previous version can run during the migration and after it. */
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
