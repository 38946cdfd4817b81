import type { Database as SqliteFile, Statement } from "bun:sqlite";
import type { Instance, InstanceState } from "../leases/instance.ts";

interface InstanceRow {
  id: string;
  epoch: number;
  applied_seq: number;
  state: InstanceState;
}

/** The table `instances`: the gateway processes, each with the number of its last change that is in the ledger. */
export class InstanceTable {
  readonly #file: SqliteFile;
  readonly #write: Statement;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#write = file.query("insert or replace into instances (id, epoch, applied_seq, state, seen_at_ms) values (?, ?, ?, ?, ?)");
  }

  all(): Instance[] {
    const rows = this.#file.query<InstanceRow, []>("select id, epoch, applied_seq, state from instances order by id").all();
    return rows.map(({ id, epoch, applied_seq: appliedSeq, state }) => ({ id, epoch, appliedSeq, state }));
  }

  write({ id, epoch, appliedSeq, state }: Instance, nowMs: number): void {
    this.#write.run(id, epoch, appliedSeq, state, nowMs);
  }

  delete(id: string): void {
    this.#file.query("delete from instances where id = ?").run(id);
  }
}
