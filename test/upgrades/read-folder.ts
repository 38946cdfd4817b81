import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Reads the database, of a gateway that runs or of one that has ended. */
export function inDatabase<T>(folder: string, read: (file: Database) => T): T {
  const file = new Database(join(folder, "tollgate.db"), { readwrite: true });
  try {
    return read(file);
  } finally {
    file.close();
  }
}

/** Tables, indexes and triggers as they were created, but for the space between words. */
export function schemaOf(folder: string): Record<string, string> {
  const sql = "select type || ' ' || name as name, coalesce(sql, '') as sql from sqlite_schema where name not like 'kysely%' order by 1";
  const rows = inDatabase(folder, (file) => file.query<{ name: string; sql: string }, []>(sql).all());
  return Object.fromEntries(rows.map((row) => [row.name, row.sql.replaceAll(/\s+/g, " ")]));
}

/** The rows of each table, as text. */
export function rowsOf(folder: string): Record<string, string[]> {
  return inDatabase(folder, (file) => {
    const tables = file.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all();
    const read = (name: string): string[] =>
      file
        .query(`select * from "${name}"`)
        .values()
        .map((row) => JSON.stringify(row));
    return Object.fromEntries(tables.map(({ name }) => [name, read(name)]));
  });
}
