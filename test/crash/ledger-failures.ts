import { Database } from "bun:sqlite";
import type { KillableGateway } from "./killable-gateway.ts";

/** Makes every write to the ledger of a running gateway fail, until it is ended. */
export interface LedgerFailure {
  readonly name: string;
  readonly isPossible: boolean;
  /** Starts the failure, and returns a function that ends it. */
  begin(gateway: KillableGateway): () => void;
}

/** Another process has locked the database, as a backup or a person at a prompt may. */
export const LOCK: LedgerFailure = {
  name: "locked by another process",
  isPossible: true,
  begin({ databasePath }) {
    const file = new Database(databasePath);
    file.run("pragma busy_timeout = 120000");
    file.run("begin immediate");
    return () => file.close();
  },
};

/** The system rejects writes, as on a full disk: here because the file size limit is zero bytes. */
export const FULL_DISK: LedgerFailure = {
  name: "on a disk that takes no more",
  isPossible: Bun.which("prlimit") !== null,
  begin({ pid }) {
    limitFiles(pid, "0");
    return () => limitFiles(pid, "unlimited");
  },
};

function limitFiles(pid: number, size: string): void {
  const { exitCode, stderr } = Bun.spawnSync(["prlimit", "--pid", String(pid), `--fsize=${size}:unlimited`]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}
