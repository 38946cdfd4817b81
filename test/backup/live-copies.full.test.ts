import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyFolder } from "../../src/stores/backup/copy-folder.ts";
import { settleCopy } from "../../src/stores/backup/settle-copy.ts";
import { filesIn } from "../../src/stores/integrity/folder-files.ts";
import { aboutEntries } from "../crash/compare-logs.ts";
import { readLedger } from "../crash/read-ledger.ts";
import { eventually } from "../support/eventually.ts";
import { follow } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";

const COPIES = isLong ? 200 : 8;

for (const kind of ["alone", "shared"] as const) {
  test(`a copy of a ledger that is being written (${kind}) has every charge that was durable before, once, and nothing in flight`, async () => {
    const parent = mkdtempSync(join(tmpdir(), "tollgate-copies-"));
    const dataFolder = join(parent, "data");
    let printed = "";
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "charging-process.ts"), dataFolder, kind], { stdout: "pipe" });
    const reading = follow(child.stdout, (text) => (printed += text));
    try {
      // By then one of the eight clients has left a request in flight.
      let known = 80;
      let ended = 0;
      for (let at = 0; at < COPIES; at++) {
        const before = known;
        known = await eventually(
          () => printed.split("\n").length - 1,
          (lines) => lines > before,
          { everyMs: 1 },
        );
        const durable = printed.split("\n").slice(0, known);
        const copy = join(parent, `copy-${at}`);
        mkdirSync(copy);
        copyFolder(dataFolder, copy);
        await settleCopy(copy, Date.now());
        const entries = readLedger(filesIn(copy).database);
        expect(aboutEntries(entries)).toEqual([]);
        const charged = new Set(
          entries.filter(({ kind: each, reason }) => each === "settle" && reason === "complete").map((entry) => entry.request_id),
        );
        expect(durable.filter((requestId) => !charged.has(requestId))).toEqual([]);
        ended += entries.filter(({ actor }) => actor === "recovery").length;
        rmSync(copy, { recursive: true });
      }
      expect(ended).toBeGreaterThan(0);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
      await reading;
      rmSync(parent, { recursive: true });
    }
  }, 300_000);
}
