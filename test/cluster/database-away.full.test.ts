import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../src/lib/http1/server/free-port.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { SHARED_SECRETS } from "../support/gateway/start-cluster.ts";

test("a start says that the database cannot be reached, without its password", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-away-"));
  const url = `postgres://tollgate:correct-horse@127.0.0.1:${findFreePort("127.0.0.1", 0)}/tollgate`;
  const env = { PATH: process.env["PATH"]!, ...SHARED_SECRETS, TOLLGATE_DATABASE_URL: url };
  const child = Bun.spawn([launcher(), "start"], { cwd: folder, env, stdout: "ignore", stderr: "pipe" });
  const [code, stderr] = await Promise.all([child.exited, child.stderr.text()]);
  rmSync(folder, { recursive: true });
  expect(code).toBe(1);
  expect(stderr).toMatch(/the database of TOLLGATE_DATABASE_URL cannot be used: .+\. Examine it with: npx tollgate preflight/);
  expect(stderr).not.toContain("correct-horse");
});
