import { Database } from "bun:sqlite";

/**
 * Adds keys to the database of a stopped gateway, as if they had been created one after the other: `key number 17` is `key000000017`. Their
 * plaintexts are unknown, so none of them gives access.
 */
export function addManyKeys(path: string, count: number): void {
  const file = new Database(path);
  file.run(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into keys (id, name, hash, settings, created_at_ms, account_id)
    select printf('key%09d', i), 'key number ' || i, lower(hex(randomblob(32))),
      '{"models":["gpt-*","claude-*"],"limits":{"requests_per_minute":60}}', 1700000000000 + i / 3, 'default' from n`);
  file.close();
}
