import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit, makeTraffic, startOn } from "../support/money/audited-ledger.ts";
import { startMoneyUpstream, type MoneyUpstream } from "../support/upstreams/money-upstream.ts";
import { runTollgate, type Outcome } from "../support/gateway/run-tollgate.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

let upstream: MoneyUpstream;
let data: string;

beforeAll(() => {
  upstream = startMoneyUpstream();
  data = mkdtempSync(join(tmpdir(), "tollgate-recover-"));
});

afterAll(async () => {
  await upstream.stop();
  rmSync(data, { recursive: true });
});

test("rejects a second gateway and a damaged WAL at startup, and the books add up after tollgate recover", async () => {
  const gateway = await startOn(data, upstream);
  await makeTraffic(gateway);
  // Removing the lock file does not stop the gateway.
  rmSync(join(data, "lock"));
  const second = await run(gateway, "start");
  expect([second.code, second.stderr]).toEqual([1, expect.stringMatching(/another process has .*tollgate\.db open.* Stop it first\.\n$/)]);
  process.kill(gateway.pid, "SIGKILL");
  await gateway.stop();

  flipInWal(join(data, "tollgate.db-wal"));
  const refused = await run(gateway, "start");
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(/^tollgate: the data in \S+ is damaged.*\ntollgate\.db-wal: frame \d+, at byte \d+, .*\n/);
  expect(refused.stderr).toMatch(/Lost: \d+ ledger entries \(\d+ to \d+\)/);
  expect(refused.stderr).not.toMatch(/\n\s+at /);

  const shown = await run(gateway, "recover");
  expect([shown.code, shown.stdout]).toEqual([1, expect.stringMatching(/tollgate\.db-wal: frame \d+[^]*Lost: \d+ ledger entries/)]);
  expect(shown.stderr).toContain("npx tollgate recover --accept-loss");
  const recovered = await run(gateway, "recover", "--accept-loss");
  expect([recovered.code, recovered.stdout]).toEqual([0, expect.stringMatching(/damaged files are in .*damaged-.* can be started\.\n$/)]);
  expect(await run(gateway, "recover")).toMatchObject({ code: 0, stdout: `The data in ${data} is not damaged.\n` });

  const next = await startOn(data, upstream);
  expect(await audit(next)).toMatchObject({ code: 0, discrepancy_count: 0 });
  await next.stop();
}, 300_000);

function run(gateway: RunningGateway, ...args: string[]): Promise<Outcome> {
  return runTollgate(gateway, args, { cwd: data, env: { TOLLGATE_DATA: data } });
}

/** Flips a bit after two thirds of the valid frames, so that some commits stay intact. */
function flipInWal(path: string): void {
  const wal = readFileSync(path);
  const isCurrent = (frame: number): boolean => wal.subarray(16, 24).equals(wal.subarray(32 + frame * 4120 + 8, 32 + frame * 4120 + 16));
  let frames = 0;
  while (isCurrent(frames)) frames++;
  wal[32 + Math.floor(frames * (2 / 3)) * 4120 + 100]! ^= 1;
  writeFileSync(path, wal);
}
