import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "../../../test/support/http/reply-text.ts";
import { BuiltConsole } from "./built-console.ts";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "tollgate-console-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const pageWith = (script: string): string => `<html data-base="%BASE%"><script src="%BASE%/assets/${script}"></script>`;

function build(...assets: readonly string[]): void {
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), pageWith(assets[0]!));
  writeFileSync(join(folder, "key.html"), `<html data-gateway="%GATEWAY%"><script src="%BASE%/assets/${assets.at(-1)!}"></script>`);
  for (const name of assets) writeFileSync(join(folder, "assets", name), name);
}

test("returns build instructions until the console is built, and then the console", async () => {
  const built = new BuiltConsole(folder, "");
  const missing = await built.page();
  expect([missing.status, await textOf(missing)]).toEqual([503, expect.stringContaining("npm run console") as string]);
  expect(await built.asset("main-1.js", null)).toBeUndefined();
  build("main-1.js");
  expect((await built.page()).status).toBe(200);
});

test("the page contains the base path, and a concurrent build does not remove its files", async () => {
  build("main-1.js");
  const built = new BuiltConsole(folder, "/tollgate");
  const page = '<html data-base="/tollgate"><script src="/tollgate/assets/main-1.js"></script>';
  expect(await textOf(await built.page())).toBe(page);
  build("main-2.js");
  expect(await textOf(await built.page())).toBe(page);
  expect(await textOf((await built.asset("main-1.js", null))!)).toBe("main-1.js");
});

test("the page for holders of keys contains the base path and the gateway's URL", async () => {
  build("main-1.js", "key-1.js");
  const page = await new BuiltConsole(folder, "/tollgate").keyPage('https://models.example/$&/"v1');
  expect(await textOf(page)).toBe(
    '<html data-gateway="https://models.example/$&amp;/&quot;v1"><script src="/tollgate/assets/key-1.js"></script>',
  );
  rmSync(join(folder, "assets/key-1.js"));
  expect((await new BuiltConsole(folder, "").keyPage("")).status).toBe(503);
});

/** Simulates visitors that arrive while the page is being read. `meanwhile` runs before the read completes. */
async function visitSlowly(visitors: number, page: string, meanwhile: () => void): Promise<string[]> {
  const path = join(folder, "index.html");
  rmSync(path);
  // A pipe: opening it blocks until something is written, and only one reader receives it.
  Bun.spawnSync(["mkfifo", path]);
  const built = new BuiltConsole(folder, "");
  const visits = Array.from({ length: visitors }, async () => textOf(await built.page()));
  const pipe = await open(path, "w");
  meanwhile();
  await pipe.write(page);
  await pipe.close();
  return Promise.all(visits);
}

test("a build that ends during the read leaves no page without its files", async () => {
  build("main-1.js");
  const [page] = await visitSlowly(1, pageWith("main-1.js"), () => build("main-2.js"));
  expect(page).toBe(pageWith("main-2.js").replaceAll("%BASE%", ""));
});

test("a page with missing files is not cached", async () => {
  build("main-1.js");
  rmSync(join(folder, "assets/main-1.js"));
  const built = new BuiltConsole(folder, "");
  expect((await built.page()).status).toBe(503);
  build("main-1.js");
  expect((await built.page()).status).toBe(200);
});

test("concurrent first visits read it once", async () => {
  build("main-1.js");
  const page = pageWith("main-1.js").replaceAll("%BASE%", "");
  expect(await visitSlowly(3, pageWith("main-1.js"), () => {})).toEqual([page, page, page]);
});

test("compressed files are encodings, not files of their own", async () => {
  build("main-1.js", "main-1.js.br", "font-1.woff2");
  const built = new BuiltConsole(folder, "");
  const script = (await built.asset("main-1.js", "gzip, br"))!;
  expect([script.headers["content-encoding"], script.headers["vary"], await textOf(script)]).toEqual([
    "br",
    "accept-encoding",
    "main-1.js.br",
  ]);
  expect(await built.asset("main-1.js.br", null)).toBeUndefined();
  const font = (await built.asset("font-1.woff2", "gzip, br"))!;
  expect([font.headers["content-type"], font.headers["content-encoding"], font.headers["vary"]]).toEqual([
    "font/woff2",
    undefined,
    undefined,
  ]);
});
