import { describe, expect, test } from "bun:test";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { confirmSecrets, OtherSecret } from "./confirm-secrets.ts";
import type { PostgresPool } from "./postgres-pool.ts";

const NAME = "TOLLGATE_SECRET";
const [first, second, third] = ["first", "second", "third"].map((text) => new Secret(`${text}-secret-of-32-characters-000`));

async function outcome(pool: PostgresPool, secret: Secret, previous?: Secret): Promise<string> {
  const [result] = await Promise.allSettled([confirmSecrets(pool, [{ name: NAME, secret, previous }])]);
  if (result.status === "fulfilled") return "confirmed";
  return result.reason instanceof OtherSecret ? result.reason.message : String(result.reason);
}

describe.skipIf(!hasPostgres)("the secrets that processes share", () => {
  const postgres = postgresFixture();

  test("are the secrets of the first process, until all have another", async () => {
    const { pool } = await postgres.open();
    expect(await outcome(pool, first!)).toBe("confirmed");
    expect(await outcome(pool, first!)).toBe("confirmed");
    expect(await outcome(pool, second!)).toContain(`${NAME} is not the secret`);
    expect(await outcome(pool, second!, third)).toContain(`${NAME} is not the secret`);
    expect(await outcome(pool, second!, first)).toBe("confirmed");
    expect(await outcome(pool, second!)).toBe("confirmed");
  });

  test("are not in the database", async () => {
    const { pool } = await postgres.open();
    await confirmSecrets(pool, [{ name: NAME, secret: first! }]);
    const rows = await pool.query<{ value: string }>("select value from shared_settings");
    expect(rows).toHaveLength(1);
    expect(rows[0]!.value).not.toContain(first!.reveal());
  });
});
