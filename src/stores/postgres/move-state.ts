import { DataMoved } from "../data-moved.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/**
 * The state of a move by `tollgate migrate`: a data folder is being moved into the database, the database's data is being moved into a
 * folder, or was moved there. None if processes may use the database.
 */
type MoveState = { readonly kind: "arriving" } | { readonly kind: "leaving" | "left"; readonly folder: string };

type QueryRunner = Pick<PostgresPool, "query">;

const NAME = "move";

export async function readMoveState(on: QueryRunner): Promise<MoveState | undefined> {
  const [row] = await on.query<{ value: string }>("select value from shared_settings where name = $1", [NAME]);
  return row && (JSON.parse(row.value) as MoveState);
}

export async function writeMoveState(on: QueryRunner, state: MoveState | undefined): Promise<void> {
  if (!state) await on.query("delete from shared_settings where name = $1", [NAME]);
  else
    await on.query("insert into shared_settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value", [
      NAME,
      JSON.stringify(state),
    ]);
}

/** Throws `DataMoved` if the data of this database is incomplete or was moved elsewhere. */
export async function refuseMovedDatabase(on: QueryRunner): Promise<void> {
  const state = await readMoveState(on);
  if (state) throw new DataMoved(describeMove(state));
}

export function describeMove(state: MoveState): string {
  const stay = `To continue with the database, run: delete from shared_settings where name = '${NAME}'`;
  switch (state.kind) {
    case "arriving":
      return "a data folder is being moved into this database, or the move was interrupted: drop the database, create it again and repeat the move";
    case "leaving":
      return `the data of this database is being moved to the folder ${state.folder}, or the move was interrupted: repeat it. ${stay}`;
    case "left":
      return `the data of this database was moved to the folder ${state.folder}: unset TOLLGATE_DATABASE_URL, and set TOLLGATE_DATA to the folder. ${stay}`;
  }
}
