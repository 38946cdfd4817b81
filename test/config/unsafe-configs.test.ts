import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../src/config/config-error.ts";
import { loadConfig } from "../../src/config.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { UNSAFE_CONFIGS, type UnsafeConfig } from "./unsafe-configs.ts";
import { WAIT_LIMIT_MS } from "../support/wait-limit.ts";

/**
 * Starting a process for each configuration would take a minute. Problems found when a configuration is read are found by the same code in
 * both ways.
 */
const started = UNSAFE_CONFIGS.filter(({ isSeenAtStart }, at) => isSeenAtStart || at % 8 === 0);
const read = UNSAFE_CONFIGS.filter((config) => !started.includes(config));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-unsafe-"));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A folder that every user can enter, with the files of the configuration. */
function makeFolder({ yaml, prepare }: UnsafeConfig): string {
  const made = mkdtempSync(join(folder, "one-"));
  chmodSync(made, 0o755);
  if (yaml !== undefined) writeFileSync(join(made, "tollgate.yaml"), yaml);
  prepare?.(made);
  return made;
}

function expectRefusal(message: string, { place, reason }: UnsafeConfig): void {
  expect(message).toContain(place);
  expect(message).toContain(reason);
  expect(message).not.toContain("canary");
  expect(message).not.toContain("\n");
}

describe("a start ends with the reason and the place for", () => {
  for (const config of started) {
    test(config.name, async () => {
      const cwd = makeFolder(config);
      const child = Bun.spawn([launcher(), "start", "--json"], {
        cwd,
        env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", ...config.env },
        stdout: "pipe",
        stderr: "pipe",
        timeout: WAIT_LIMIT_MS,
      });
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      const problem = JSON.parse(stderr) as { readonly detail: string };
      expectRefusal(problem.detail, config);
      expect([code, stdout]).toEqual([1, ""]);
      // The gateway must not create files, unless the configuration is valid until a listener starts.
      expect(existsSync(join(cwd, "data", "tollgate.db"))).toBe(config.reason.includes("not available"));
    });
  }
});

describe("a configuration is refused with the reason and the place for", () => {
  for (const config of read) {
    test(config.name, async () => {
      const file = join(makeFolder(config), "tollgate.yaml");
      const error = await loadConfig({ ...(config.yaml !== undefined && { TOLLGATE_CONFIG: file }), ...config.env }).then(
        () => new Error("it was accepted"),
        (thrown: unknown) => thrown as Error,
      );
      expect(error).toBeInstanceOf(ConfigError);
      expectRefusal(error.message, config);
    });
  }
});

test("they are as many as they seem", () => {
  expect(new Set(UNSAFE_CONFIGS.map(({ name }) => name)).size).toBe(UNSAFE_CONFIGS.length);
  expect(UNSAFE_CONFIGS.length).toBeGreaterThan(45);
  expect(started.length).toBeGreaterThan(10);
});
