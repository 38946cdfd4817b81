import { migratePostgres } from "../migrations/migrate.ts";
import { ChangeFeed, type FeedOptions } from "./change-feed.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { PostgresPool, type PoolOptions } from "./postgres-pool.ts";

/** An open database whose feed is not read yet: the stores are loaded first. */
export interface OpenPostgres {
  readonly pool: PostgresPool;
  readonly feed: ChangeFeed;
  readonly database: PostgresDatabase;
  /** The migrations that the tables of an older version lacked. */
  readonly migrated: readonly string[];
}

/** Connects, and migrates the tables. Throws `StorageUnavailable` and `CannotMigrate`. */
export async function openPostgres(options: PoolOptions & Omit<FeedOptions, "pool">): Promise<OpenPostgres> {
  const pool = new PostgresPool(options);
  const feed = new ChangeFeed({ ...options, pool });
  const database = new PostgresDatabase(pool, feed);
  try {
    const migrated = await migratePostgres(database);
    await feed.begin();
    return { pool, feed, database, migrated };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
