import { afterAll, beforeAll } from "bun:test";
import type { Secret } from "../../../src/lib/secret/secret.ts";
import { openPostgres, type OpenPostgres } from "../../../src/stores/postgres/open-postgres.ts";
import { refuseSecondConnections } from "./second-connection.ts";
import { PostgresServer } from "./start-postgres.ts";

/** Databases on a server that runs during the tests of the enclosing `describe`. */
export interface PostgresFixture {
  readonly server: PostgresServer;
  /** Opens a new or existing database, as one process would. It is closed after the tests. */
  open(url?: Secret): Promise<OpenPostgres & { readonly url: Secret }>;
}

const OPTIONS = { maxConnections: 4, timeoutMs: 30_000, monotonicMs: () => performance.now(), report: () => undefined };

/** Call it in a `describe` that is skipped if PostgreSQL is not installed. */
export function postgresFixture(): PostgresFixture {
  refuseSecondConnections();
  let server: PostgresServer;
  const opened: OpenPostgres[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(async () => {
    for (const { feed, database } of opened) {
      feed.stop();
      await database.destroy().catch(() => undefined);
    }
    await server?.stop();
  });
  return {
    get server() {
      return server;
    },
    async open(url) {
      const address = url ?? (await server.createMigratedDatabase());
      const open = await openPostgres({ url: address, ...OPTIONS });
      opened.push(open);
      return { ...open, url: address };
    },
  };
}
