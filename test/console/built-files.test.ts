import { expect, test } from "bun:test";
import { assets, transferSize, firstLoad, keyPage, staticImports, namedByKeyPage, namedByPage, page, readAsset } from "./built-files.ts";

const MAX_BYTES = 250 * 1024;

/** URLs in namespaces, messages and placeholders of forms, which are never fetched. */
const NEVER_FETCHED = [
  /^http:\/\/www\.w3\.org\//,
  /^https:\/\/(react\.dev\/errors\/|base-ui\.com\/production-error$)/,
  /^https:\/\/tailwindcss\.com/,
  /^https:\/\/(hooks\.slack\.com\/services|discord\.com\/api\/webhooks|events\.(eu\.)?pagerduty\.com\/v2\/enqueue|…\.logic\.azure\.com)/,
  /^https?:\/\/(127\.0\.0\.1|([\w-]+\.)*example(\.com)?)([:/]|$)/,
];

/** A library's fallback for environments without `self`, which every browser has. */
const NEVER_REACHED = /self\.self==self\?self:Function\("return this"\)\(\)/g;

const readable = assets.filter((name) => /\.(js|css)$/.test(name));

test("the first load (page, static imports and fonts) is at most 250 KiB", () => {
  const files = firstLoad();
  expect(files).toContain(namedByPage.find((name) => name.startsWith("main-"))!);
  expect(files.some((name) => name.endsWith(".woff2"))).toBe(true);
  const bytes = files.reduce((sum, name) => sum + transferSize(name), Buffer.byteLength(page));
  process.stdout.write(`first load: ${Math.ceil(bytes / 1024)} KB in ${files.length + 1} files\n`);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
});

test("the page for holders of keys loads at most 150 KiB, and nothing that calls the platform or stores anything", () => {
  const files = firstLoad(namedByKeyPage);
  const bytes = files.reduce((sum, name) => sum + transferSize(name), Buffer.byteLength(keyPage));
  expect(bytes).toBeLessThanOrEqual(150 * 1024);
  const scripts = files.filter((name) => name.endsWith(".js"));
  expect(scripts.length).toBe(1);
  expect(readAsset(scripts[0]!)).not.toMatch(/\/api\/|localStorage|sessionStorage|indexedDB|document\.cookie|history\.(push|replace)State/);
});

test("finds static imports and skips dynamic ones", () => {
  const script = `import{a as b}from"./part-1.js";import"./part-2.js";export*from'./part-3.js';const c=()=>import("./part-4.js");`;
  expect(staticImports(script)).toEqual(["part-1.js", "part-2.js", "part-3.js"]);
});

test("works without internet access: no file loads from another origin", () => {
  const pages = [page, keyPage].map((text) => ["page", text.replaceAll(/%BASE%|href="data:[^"]*"/g, "")] as const);
  const texts = [...pages, ...readable.map((name) => [name, readAsset(name)])];
  const foreign = texts.flatMap(([name, text]) =>
    [...text.matchAll(/(?:https?|wss?):\/\/[^\s"'`\\)<>]*/g)].map(([url]) => [name, url] as const),
  );
  expect(foreign.filter(([, url]) => url.includes(".") && !NEVER_FETCHED.some((known) => known.test(url)))).toEqual([]);
  for (const name of assets.filter((each) => each.endsWith(".css"))) {
    const loaded = [...readAsset(name).matchAll(/url\(["']?([^"')]+)|@import\s+["']([^"']+)/g)].map((match) => match[1] ?? match[2]!);
    expect(loaded.filter((url) => !url.startsWith("data:") && !assets.includes(url.replace(/^\.\//, "")))).toEqual([]);
  }
});

test("uses no eval and no inline scripts or styles, which the content security policy forbids", () => {
  for (const name of readable.filter((each) => each.endsWith(".js"))) {
    const script = readAsset(name).replaceAll(NEVER_REACHED, "");
    expect([name, script.match(/(?<![\w$.])(eval|Function)\s*\(/g)]).toEqual([name, null]);
  }
  expect(page + keyPage).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
});

test("every script and style exists plain, gzip and Brotli compressed, and every import resolves", () => {
  for (const name of readable) expect([name, assets.includes(`${name}.br`), assets.includes(`${name}.gz`)]).toEqual([name, true, true]);
  for (const name of readable.filter((each) => each.endsWith(".js"))) {
    const imported = [...readAsset(name).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']\.\/([\w.-]+)["']/g)].map((match) => match[1]!);
    expect(imported.filter((each) => !assets.includes(each))).toEqual([]);
  }
});
