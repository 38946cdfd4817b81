import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { isLong } from "../support/long.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/** The number of bytes written for the tables of an empty ledger. */
const WRITTEN_BYTES = 110_000;
const KILLS = isLong ? 8 : 4;

test("starts again after a first start was killed while it created its tables", async () => {
  for (let at = 0; at < KILLS; at++) {
    const gateway = await KillableGateway.create({ yaml: configFor("http://127.0.0.1:9/v1", ["any"]) });
    try {
      gateway.spawn();
      watchGrowing(`${gateway.databasePath}-wal`, (at / KILLS) * WRITTEN_BYTES);
      await gateway.kill();
      await gateway.start();
      expect(await gateway.makeKey()).toHaveProperty("key");
    } finally {
      await gateway.remove();
    }
  }
});

/** Polls without a pause until the file has this many bytes, or the time is over: a sleep would miss the moment. */
function watchGrowing(path: string, bytes: number): void {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while ((statSync(path, { throwIfNoEntry: false })?.size ?? -1) < bytes && performance.now() < deadline);
}
