import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, delimiter, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import manifest from "../../package.json" with { type: "json" };
import { page } from "../console/built-files.ts";
import { ROOT, startGateway } from "../support/gateway/start-gateway.ts";

/** The only files that a package may have. */
const ALLOWED = [
  /^(ARCHITECTURE|CHANGELOG|GLOSSARY|README|SECURITY)\.md$/,
  /^(LICENSE|package\.json|bin\/tollgate|scripts\/install)$/,
  /^dist\/console\/((index|key)\.html|assets\/[\w-]+\.(js|css|json|woff2)(\.br|\.gz)?)$/,
  /^dist\/third-party-licenses\.txt$/,
  /^dist\/gateway\/(cli|start)\.js(\.jsc|\.map)?$/,
  /^docs\/[\w-]+\.md$/,
  /^openapi\/(gateway|gateway-with-endpoints|platform)\.json$/,
  /^platform-client\/types\.ts$/,
  /^src\/[\w/-]+\.(ts|json|LICENSE)$/,
  /^deploy\/(README\.md|Dockerfile(\.dockerignore)?|compose\.yaml|nginx\.conf|alert-rules\.yml|grafana-dashboard\.json|assemble-rootfs)$/,
  /^deploy\/helm\/tollgate\/[\w/-]+\.(yaml|tpl|txt)$/i,
];
/** Without one of these files the gateway does not start, or starts slowly. */
const NEEDED = [
  "bin/tollgate",
  "scripts/install",
  "dist/gateway/start.js.jsc",
  "dist/console/index.html",
  "dist/console/key.html",
  "docs/README.md",
  "src/cli/cli.ts",
];

let folder: string;
/** A node_modules folder as `npm install` creates it, with the packed package and its dependencies. */
let modules: string;
const installed = (path: string): string => join(modules, "tollgate", path);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-package-"));
  modules = join(folder, "node_modules");
  mkdirSync(installed(""), { recursive: true });
  mkdirSync(join(modules, ".bin"));
  // `npm test` has already built the console and the gateway.
  await run(["npm", "pack", "--offline", "--no-update-notifier", "--ignore-scripts", "--pack-destination", modules], ROOT);
  await run(["tar", "-xzf", `tollgate-${manifest.version}.tgz`, "--strip-components=1", "-C", installed("")], modules);
  for (const name of Object.keys(manifest.dependencies).filter((each) => each !== "bun")) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  symlinkSync(process.execPath, join(modules, ".bin", "bun"));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, stdout: "ignore", stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
}

test("the published package starts with its console and documents, without installing or building", async () => {
  const gateway = await startGateway({ launcher: installed("bin/tollgate") });
  try {
    expect(gateway.output()).not.toMatch(/Installing|Building/);
    expect(await (await fetch(`${gateway.platformUrl}/keys`)).text()).toBe(page.replaceAll("%BASE%", ""));
    for (const path of ["/docs/gateway.json", "/docs/platform.json"])
      expect((await fetch(`${gateway.platformUrl}${path}`)).status).toBe(200);
  } finally {
    await gateway.stop();
  }
}, 300_000);

test("the published package contains the allowed files only, and all that it needs", () => {
  const entries = readdirSync(installed(""), { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const files = entries.map(({ parentPath, name }) => join(parentPath, name).slice(installed("").length + 1));
  expect(files.filter((file) => !ALLOWED.some((pattern) => pattern.test(file)))).toEqual([]);
  expect(NEEDED.filter((file) => !files.includes(file))).toEqual([]);
});

test("the published package has no install scripts, and can be published", () => {
  const scripts = ["preinstall", "install", "postinstall", "prepare"];
  expect(scripts.filter((name) => Object.hasOwn(manifest.scripts, name))).toEqual([]);
  expect(manifest).not.toHaveProperty("private");
  expect(manifest).toMatchObject({ os: ["linux", "darwin"], cpu: ["x64", "arm64"] });
});

test("publint has no objection", async () => {
  const { messages, pkg } = await publint({ pkgDir: installed(""), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
}, 300_000);

test("the documentation states its size", () => {
  const tarball = Bun.file(join(modules, `tollgate-${manifest.version}.tgz`)).size / 1e6;
  const stated = /tarball of (\d+) MB/.exec(readFileSync(join(ROOT, "docs/installation.md"), "utf8"))?.[1];
  expect(Math.abs(Number(stated) - tarball)).toBeLessThan(1.5);
});

describe("the launcher of a package", () => {
  let alone: string;

  beforeAll(() => {
    alone = mkdtempSync(join(tmpdir(), "tollgate-without-bun-"));
    for (const path of ["bin", "scripts", "dist/gateway", "package.json"])
      cpSync(installed(path), join(alone, "node_modules/tollgate", path), { recursive: true });
  });

  afterAll(() => rmSync(alone, { recursive: true }));

  /** Starts the launcher on a machine that `uname` describes like this. */
  function launch(uname: string): string[] {
    const programs = join(alone, "programs");
    mkdirSync(programs, { recursive: true });
    const [system, machine] = uname.split(" ");
    writeFileSync(join(programs, "uname"), `#!/bin/sh\ncase $1 in -s) echo ${system} ;; -m) echo ${machine} ;; esac\n`);
    chmodSync(join(programs, "uname"), 0o755);
    const { exitCode, stdout, stderr } = Bun.spawnSync([join(alone, "node_modules/tollgate/bin/tollgate"), "--version"], {
      env: { PATH: [programs, process.env["PATH"]!].join(delimiter) },
    });
    return [String(exitCode), stdout.toString(), stderr.toString()];
  }

  test("says so where Bun has no build for the platform", () => {
    const message =
      "tollgate: Bun has no build for FreeBSD riscv64. Tollgate runs on Linux and macOS, on x64 and arm64; on Windows, in WSL.\n";
    expect(launch("FreeBSD riscv64")).toEqual(["1", "", message]);
  });

  test("says so where npm has left Bun out", () => {
    const place = join(alone, "node_modules/tollgate");
    const message = `tollgate: Bun is missing beside ${place}. Install Tollgate again with its optional dependencies: npm install --include=optional\n`;
    for (const uname of ["Linux x86_64", "Linux aarch64", "Darwin x86_64", "Darwin arm64"])
      expect(launch(uname)).toEqual(["1", "", message]);
  });

  test("finds Bun where npm has run no install scripts", () => {
    const bun = join(alone, "node_modules/@oven/bun-linux-x64/bin");
    mkdirSync(bun, { recursive: true });
    symlinkSync(process.execPath, join(bun, "bun"));
    mkdirSync(join(alone, "node_modules/.bin"));
    writeFileSync(join(alone, "node_modules/.bin/bun"), 'echo "Error: the install script was not run." >&2\nexit 1\n', { mode: 0o755 });
    expect(launch("Linux x86_64")).toEqual(["0", `${manifest.version}\n`, ""]);
  });
});
