import { describe, expect, test } from "bun:test";
import { LogInFolder } from "../../../test/request-log/log-in-folder.ts";
import { LogInPostgres } from "../../../test/request-log/log-in-postgres.ts";
import { attemptAt } from "../../../test/request-log/ended-samples.ts";
import { hasPostgres } from "../../../test/support/postgres/find-postgres.ts";
import { postgresFixture } from "../../../test/support/postgres/postgres-fixture.ts";
import type { RequestFilter } from "../request-log/request-log-store.ts";
import { copyLogToPostgres } from "./request-log-days.ts";

describe.skipIf(!hasPostgres)("a request log that is copied into PostgreSQL", () => {
  const postgres = postgresFixture();

  test("is found by the details of attempts and by mirrors, also where an upstream has sent a text that PostgreSQL cannot store", async () => {
    const { pool } = await postgres.open();
    const from = new LogInFolder();
    const failed = { outcome: "failed" as const };
    const texts = ["nul \0 char", "half \ud83d pair", "a \\u0000 in text"];
    const noted = from.note(
      ...texts.map((detail) => ({ notes: { attempts: [attemptAt("a", 1, { ...failed, detail }), attemptAt("b", 2)] } })),
    );
    const response = { status: 200, finishReason: "stop", promptTokens: 5, completionTokens: 7, firstByteMs: null, durationMs: 12.5 };
    const result = { requestId: noted[0]!, model: "gpt", upstream: "old", upstreamModel: "gpt-4o", response };
    from.store.noteMirror({ ...result, mirror: { ...response, status: 502 }, detail: texts[0]! });
    await from.store.close();
    await copyLogToPostgres(from.folder, pool);
    await from.remove();

    const log = new LogInPostgres(pool);
    const idsOf = async (filter: RequestFilter): Promise<string[]> =>
      (await log.store.list(filter, undefined, "newer", 10)).map(({ request }) => request.requestId);
    expect(await idsOf({ amounts: { attempts: { least: 2 } } })).toEqual(noted);
    expect(await idsOf({ errorText: "half \ufffd" })).toEqual([noted[1]!]);
    expect(await idsOf({ errorText: "\\u0000 in text" })).toEqual([noted[2]!]);
    expect(await idsOf({ mirror: "different" })).toEqual([noted[0]!]);
    await log.store.close();
  });
});
