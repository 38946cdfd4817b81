import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { html } from "../src/platform/docs/html.ts";
import { ROOT, startGateway, type RunningGateway } from "./start-gateway.ts";

let gateway: RunningGateway;
let page: string;

beforeAll(async () => {
  gateway = await startGateway();
  page = await (await fetch(`${gateway.platformUrl}/docs`)).text();
});
afterAll(() => gateway.stop());

test("the docs page tells of every operation that is published, with a place to link to", () => {
  for (const name of ["gateway", "platform"]) {
    const document = JSON.parse(readFileSync(join(ROOT, `openapi/${name}.json`), "utf8")) as { paths: Record<string, object> };
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as { operationId: string }[]);
    expect(operations.length).toBeGreaterThan(1);
    for (const { operationId } of operations) expect(page).toContain(`id="${name}-${operationId}"`);
  }
});

test("it says what to call with, and gives the same to programs", async () => {
  for (const words of ["Authorization: Bearer …", "sk-service-", "x-tollgate-request", "tollgate_session"]) expect(page).toContain(words);
  for (const name of ["gateway", "platform"]) {
    const document: unknown = await (await fetch(`${gateway.platformUrl}/docs/${name}.json`)).json();
    expect(document).toEqual(JSON.parse(readFileSync(join(ROOT, `openapi/${name}.json`), "utf8")));
  }
});

test("it works without a network: it has no script, and all that it loads is of this server and there", async () => {
  expect(page).not.toMatch(/<script|<iframe|\son\w+=/i);
  const loaded = [...page.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map((match) => match[1]!);
  expect(loaded).toEqual(["data:,", "/docs.css", "/", "/docs/gateway.json", "/docs/platform.json"]);
  expect((await fetch(`${gateway.platformUrl}/docs.css`)).headers.get("content-type")).toStartWith("text/css");
});

test("what is put into a page cannot become markup", () => {
  expect(html`<p title="${'"><script>'}">${"<b>&"}${[html`<i>${"<"}</i>`]}</p>`.text).toBe(
    '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;<i>&lt;</i></p>',
  );
});
