import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";
import { canGoWithout, WITHOUT_PRIVILEGE } from "./without-privilege.ts";

/** A stub build that takes 100 ms, copies its source and counts its runs. */
const BUILD = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
appendFileSync("builds", "x");
await Bun.sleep(100);
mkdirSync("dist/console", { recursive: true });
writeFileSync("dist/console/index.html", readFileSync("console/src/main.tsx", "utf8"));
`;

/** The server files that the console imports, and the documentation that it serves. */
const OTHER_FILES = [
  "platform-client/types.ts",
  "src/lib/time/calendar.ts",
  "src/lib/time/time-zone.ts",
  "src/models/timeouts.ts",
  "src/money/limits.ts",
  "docs/README.md",
  "CHANGELOG.md",
];

let folder: string;
const at = (path: string): string => join(folder, path);
const builds = (): number => (existsSync(at("builds")) ? readFileSync(at("builds"), "utf8").length : 0);

/** A checkout with linked packages and a stub build. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-building-"));
  for (const path of ["scripts", "console/src", "modules/.bin", ...OTHER_FILES.map(dirname)]) mkdirSync(at(path), { recursive: true });
  copyFileSync(join(ROOT, "scripts/install"), at("scripts/install"));
  symlinkSync(process.execPath, at("modules/.bin/bun"));
  symlinkSync("modules", at("node_modules"));
  writeFileSync(at("package-lock.json"), "{}");
  writeFileSync(at("console/build.ts"), BUILD);
  writeFileSync(at("console/src/main.tsx"), "first");
  for (const path of OTHER_FILES) writeFileSync(at(path), "");
  setAgeOfSources(60);
});
afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true });
});

function setAge(path: string, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(at(path), then, then);
}

function setAgeOfSources(seconds: number): void {
  const inConsole = readdirSync(at("console"), { recursive: true, encoding: "utf8" }).map((path) => `console/${path}`);
  for (const path of ["console", ...inConsole, "docs", "package-lock.json", ...OTHER_FILES]) setAge(path, seconds);
}

interface Outcome {
  readonly code: number;
  readonly stderr: string;
}

const install = (...args: readonly string[]): Promise<Outcome> => run([at("scripts/install"), "runtime", ...args]);

async function run(command: readonly string[], env = process.env): Promise<Outcome> {
  const child = Bun.spawn([...command], { env, stdout: "ignore", stderr: "pipe" });
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited]);
  return { code, stderr };
}

describe("scripts/install builds the console", () => {
  test("once, when it is missing and requested", async () => {
    expect(await install()).toEqual({ code: 0, stderr: "" });
    expect(builds()).toBe(0);
    expect(await install("console")).toEqual({ code: 0, stderr: "Building the console ...\n" });
    expect(await install("console")).toEqual({ code: 0, stderr: "" });
    expect(builds()).toBe(1);
  });

  test("again when a source file is changed, removed or added", async () => {
    await install("console");
    const changes = [
      () => writeFileSync(at("console/src/main.tsx"), "second"),
      () => writeFileSync(at("console/src/other.tsx"), ""),
      () => rmSync(at("console/src/other.tsx")),
      () => writeFileSync(at("package-lock.json"), '{"lockfileVersion": 3}'),
      ...OTHER_FILES.map((path) => () => writeFileSync(at(path), "other")),
    ];
    for (const [done, change] of changes.entries()) {
      setAgeOfSources(60);
      setAge("dist/console/index.html", 30);
      change();
      await install("console");
      expect(builds()).toBe(done + 2);
    }
    expect(readFileSync(at("dist/console/index.html"), "utf8")).toBe("second");
  });

  test("once when several run at the same time, while the others wait", async () => {
    const outcomes = await Promise.all([install("console"), install("console"), install("console")]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect([builds(), readdirSync(folder).includes(".installing")]).toEqual([1, false]);
  });

  test("never in a published package", async () => {
    rmSync(at("package-lock.json"));
    rmSync(at("console"), { recursive: true });
    expect(await install("console")).toEqual({ code: 0, stderr: "" });
    expect(builds()).toBe(0);
  });
});

test("a failed build shows its error and exits with 1", async () => {
  writeFileSync(at("console/build.ts"), 'throw new Error("no such colour");');
  const { code, stderr } = await install("console");
  expect(code).toBe(1);
  expect(stderr).toContain("no such colour");
  expect(stderr).toEndWith("The console could not be built: see above.\n");
});

test.skipIf(!canGoWithout)("in a read-only checkout it fails without a console, and uses an existing one", async () => {
  const installing = [...WITHOUT_PRIVILEGE, at("scripts/install"), "runtime", "console"];
  chmodSync(folder, 0o555);
  expect(await run(installing)).toEqual({ code: 1, stderr: expect.stringContaining("is not writable") as string });
  chmodSync(folder, 0o755);
  await install("console");
  writeFileSync(at("console/src/main.tsx"), "second");
  setAge("dist/console/index.html", 30);
  chmodSync(folder, 0o555);
  expect(await run(installing)).toEqual({ code: 0, stderr: "" });
  expect(builds()).toBe(1);
});

test("a full disk is not mistaken for another installation's lock", async () => {
  mkdirSync(at("full"));
  writeFileSync(at("full/ln"), "#!/bin/sh\necho 'ln: No space left on device' >&2\nexit 1\n", { mode: 0o755 });
  const env = { PATH: `${at("full")}:${process.env["PATH"]}` };
  expect(await run([at("scripts/install"), "runtime", "console"], env)).toEqual({ code: 1, stderr: "ln: No space left on device\n" });
});

test("a build has the time of its start, so that files changed during the build are newer", async () => {
  rmSync(at("node_modules"));
  symlinkSync(join(ROOT, "node_modules"), at("node_modules"));
  for (const path of ["console", ...OTHER_FILES]) cpSync(join(ROOT, path), at(path), { recursive: true });
  expect((await run([process.execPath, at("console/build.ts")])).code).toBe(0);
  const written = readdirSync(at("dist/console/assets")).map((name) => statSync(at(`dist/console/assets/${name}`)).mtimeMs);
  expect(statSync(at("dist/console/index.html")).mtimeMs).toBeLessThan(Math.min(...written));
});
