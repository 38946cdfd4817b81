import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";

test("an unhandled rejection ends no other response, and is logged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-stray-"));
  const stray = join(folder, "stray.ts");
  const signal = join(folder, "now");
  // Preloaded into the gateway: simulates a bug that the gateway does not have, when the test requests it.
  writeFileSync(
    stray,
    `import { existsSync } from "node:fs";
const timer = setInterval(() => {
  if (!existsSync(${JSON.stringify(signal)})) return;
  clearInterval(timer);
  void Promise.reject(new Error("a stray rejection"));
}, 10);`,
  );
  const gateway = await startGateway({ env: { BUN_OPTIONS: `--preload=${stray}` } });
  try {
    writeFileSync(signal, "");
    const line = await waitFor(() => gateway.logLines().find(({ event }) => event === "internal_error"));
    expect(line["detail"]).toContain("a stray rejection");
    const { status } = await fetch(new URL("/healthz", gateway.baseUrl));
    expect(status).toBe(200);
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  }
});
