import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { ROOT, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { canGoWithout, WITHOUT_PRIVILEGE } from "./without-privilege.ts";

let checkout: string;
const at = (path: string): string => join(checkout, path);

/** A checkout with its packages. Its console is not built, and its build fails. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "tollgate-starting-"));
  for (const path of ["bin", "scripts/install", "src", "openapi", "package.json", "package-lock.json"])
    cpSync(join(ROOT, path), at(path), { recursive: true });
  for (const path of ["node_modules/.bin", "console"]) mkdirSync(at(path), { recursive: true });
  for (const path of [".bin/bun", ...Object.keys(manifest.dependencies).filter((name) => name !== "bun")]) {
    mkdirSync(dirname(at(`node_modules/${path}`)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", path), at(`node_modules/${path}`));
  }
  writeFileSync(at("console/build.ts"), 'throw new Error("no space left on device");');
  const launcher = [...WITHOUT_PRIVILEGE, `"${at("bin/tollgate")}"`].join(" ");
  writeFileSync(at("start"), `#!/bin/sh\nexec ${launcher} "$@"\n`, { mode: 0o755 });
});

afterEach(() => {
  chmodSync(checkout, 0o755);
  rmSync(checkout, { recursive: true });
});

async function withGateway(check: (gateway: RunningGateway, page: Response) => Promise<void>): Promise<void> {
  const gateway = await startGateway({ launcher: at("start") });
  try {
    expect((await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${gateway.firstKey}` } })).status).toBe(200);
    await waitFor(() => gateway.output().includes("Starting without a new build of the console.\n"));
    await check(gateway, await fetch(gateway.platformUrl));
  } finally {
    await gateway.stop();
  }
}

test.skipIf(!canGoWithout)("a read-only checkout starts without a console, and says how to build it", async () => {
  chmodSync(checkout, 0o555);
  await withGateway(async (gateway, page) => {
    // The greeting and the log are on the other output stream, which may be read first.
    const first = gateway
      .output()
      .split("\n")
      .find((line) => !line.startsWith("{"));
    expect(first).toStartWith(`${checkout} is not writable`);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("npm run console") as string]);
  });
});

test.skipIf(!canGoWithout)("a failed build is reported, and the gateway starts with the previous one", async () => {
  mkdirSync(at("dist/console/assets"), { recursive: true });
  writeFileSync(at("dist/console/index.html"), "the previous build");
  writeFileSync(at("dist/console/key.html"), "its page for holders of keys");
  utimesSync(at("dist/console/index.html"), 1, 1);
  await withGateway(async (gateway, page) => {
    expect(gateway.output()).toContain("no space left on device");
    expect([page.status, await page.text()]).toEqual([200, "the previous build"]);
  });
});
