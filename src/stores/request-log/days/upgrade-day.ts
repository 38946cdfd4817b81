import type { Database as SqliteFile } from "bun:sqlite";
import { CREATE_MIRRORS } from "../mirrors/mirror-table.ts";
import { CREATE_NAMES, CREATE_REQUESTS } from "./request-table.ts";

/**
 * Migrates a day file of an earlier version to the current columns. Without it its requests could not be read, and the file would be taken for
 * that of another program. Other files are not changed.
 */
export function upgradeDay(file: SqliteFile): void {
  const columns = file.query<{ name: string }, []>("select name from pragma_table_info('requests')").all();
  const last = columns.at(-1)?.name;
  if (last === "more") file.transaction(() => unpackMore(file))();
  if (last === "detail") file.run("alter table requests add column trace_id text");
  if (last === "detail" || last === "trace_id") file.run("alter table requests add column attribution text");
  if (last === "more" || last === "detail" || last === "trace_id" || last === "attribution") {
    file.run(CREATE_NAMES);
    for (const statement of CREATE_MIRRORS) file.run(statement);
  }
}

/** The first version had all values that are not searched in one JSON array. */
function unpackMore(file: SqliteFile): void {
  file.run("alter table requests rename to packed_requests");
  file.run(CREATE_REQUESTS);
  file.run(`insert into requests select row, id, ended_at_ms, account_id, key_id, model, upstream, status, outcome, code,
      more ->> 5, ${micros("more ->> 0")}, ${micros("more ->> 1")}, ${micros("more ->> 2")}, more ->> 3, more ->> 4, more ->> 6,
      more ->> '$[8][2]', more ->> '$[8][3]', more ->> '$[8][4]', more ->> '$[8][5]', more ->> '$[8][6]', more ->> '$[8][1]',
      cast(more ->> '$[8][0]' as integer), null, null, null, ${ATTEMPTS}, more ->> 9, more ->> 10, null, null from packed_requests`);
  file.run("drop table packed_requests");
}

const ATTEMPTS = `(select nullif(json_group_array(json_object('upstream', value ->> 0, 'upstreamModel', value ->> 1,
  'startedMs', value ->> 2, 'durationMs', value ->> 3, 'outcome', value ->> 4, 'detail', value ->> 5)), '[]') from json_each(more, '$[7]'))`;

function micros(milliseconds: string): string {
  return `cast(round((${milliseconds}) * 1000) as integer)`;
}
