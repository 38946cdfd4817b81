import { Database } from "bun:sqlite";

/** A database as SQL text: its tables, their rows, then its indexes and triggers, each as it was created. */
export function dumpDatabase(path: string): string {
  const file = new Database(path, { readwrite: true });
  try {
    const created = file
      .query<{ type: string; name: string; sql: string }, []>(
        "select type, name, sql from sqlite_schema where sql is not null order by rowid",
      )
      .all();
    const tables = created.filter(({ type }) => type === "table");
    const others = created.filter(({ type }) => type !== "table");
    return [...tables.flatMap(({ name, sql }) => [`${sql};`, ...dumpRows(file, name)]), ...others.map(({ sql }) => `${sql};`)]
      .join("\n")
      .concat("\n");
  } finally {
    file.close();
  }
}

function dumpRows(file: Database, table: string): string[] {
  const columns = file.query<{ name: string }, []>(`select name from pragma_table_info('${table}')`).all();
  const values = columns.map(({ name }) => `quote("${name}")`).join(` || ', ' || `);
  const rows = file.query<{ text: string }, []>(`select ${values} as text from "${table}"`).all();
  return rows.map(({ text }) => `insert into "${table}" values (${text});`);
}
