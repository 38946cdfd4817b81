import { expect, test } from "bun:test";
import { assets, bytesSent, firstLoad, importedAtOnce, namedByPage, page, readAsset } from "./built-files.ts";

const MOST_BYTES = 250 * 1024;

/** Addresses that are names, or words for people, and are fetched by nobody. */
const ONLY_WORDS = [
  /^http:\/\/www\.w3\.org\//,
  /^https:\/\/(react\.dev\/errors\/|base-ui\.com\/production-error$)/,
  /^https:\/\/(tailwindcss\.com|redux\.js\.org|redux-toolkit\.js\.org|bit\.ly\/3cXEKWf)/,
  /^https:\/\/github\.com\/MikeMcl\/decimal\.js-light/,
  /^https?:\/\/(127\.0\.0\.1|([\w-]+\.)*example(\.com)?)([:/]|$)/,
];

/** How a library finds the global object where there is no `self`, which every browser has. */
const NEVER_REACHED = /self\.self==self\?self:Function\("return this"\)\(\)/g;

const readable = assets.filter((name) => /\.(js|css)$/.test(name));

test("the first load is small: what the page names, what that imports at once, and the fonts", () => {
  const files = firstLoad();
  expect(files).toContain(namedByPage.find((name) => name.startsWith("main-"))!);
  expect(files.some((name) => name.endsWith(".woff2"))).toBe(true);
  const bytes = files.reduce((sum, name) => sum + bytesSent(name), Buffer.byteLength(page));
  process.stdout.write(`first load: ${Math.ceil(bytes / 1024)} KB in ${files.length + 1} files\n`);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test("what is imported at once is told from what is imported when it is needed", () => {
  const script = `import{a as b}from"./part-1.js";import"./part-2.js";export*from'./part-3.js';const c=()=>import("./part-4.js");`;
  expect(importedAtOnce(script)).toEqual(["part-1.js", "part-2.js", "part-3.js"]);
});

test("it works without a network: no file names an address that it could load from", () => {
  const addressed = [["index.html", page.replaceAll(/%BASE%|href="data:[^"]*"/g, "")], ...readable.map((name) => [name, readAsset(name)])];
  const foreign = addressed.flatMap(([name, text]) =>
    [...text!.matchAll(/(?:https?|wss?):\/\/[^\s"'`\\)<>]*/g)].map(([address]) => [name, address] as const),
  );
  expect(foreign.filter(([, address]) => address.includes(".") && !ONLY_WORDS.some((known) => known.test(address)))).toEqual([]);
  for (const name of assets.filter((each) => each.endsWith(".css"))) {
    const loaded = [...readAsset(name).matchAll(/url\(["']?([^"')]+)|@import\s+["']([^"']+)/g)].map((match) => match[1] ?? match[2]!);
    expect(loaded.filter((url) => !url.startsWith("data:") && !assets.includes(url.replace(/^\.\//, "")))).toEqual([]);
  }
});

test("nothing in it makes code of text, or of the page: the content security policy would stop it", () => {
  for (const name of readable.filter((each) => each.endsWith(".js"))) {
    const script = readAsset(name).replaceAll(NEVER_REACHED, "");
    expect([name, script.match(/(?<![\w$.])(eval|Function)\s*\(/g)]).toEqual([name, null]);
  }
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
});

test("every script and style is there plain and in both compressed forms, and all that a file imports is there", () => {
  for (const name of readable) expect([name, assets.includes(`${name}.br`), assets.includes(`${name}.gz`)]).toEqual([name, true, true]);
  for (const name of readable.filter((each) => each.endsWith(".js"))) {
    const imported = [...readAsset(name).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']\.\/([\w.-]+)["']/g)].map((match) => match[1]!);
    expect(imported.filter((each) => !assets.includes(each))).toEqual([]);
  }
});
