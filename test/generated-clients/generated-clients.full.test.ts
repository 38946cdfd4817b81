import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateSource } from "oazapfts";
import openapiTypes, { astToString } from "openapi-typescript";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { ROOT, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { WITH_FUNCTIONS, WITH_OPENAPI_FETCH, type ProgramCall } from "./client-programs.ts";

/** Tests that the clients that two generators create from the served documents compile and work. */

type Call = (token: string, gatewayUrl: string, platformUrl: string) => Promise<ProgramCall>;

const TSCONFIG = {
  compilerOptions: {
    target: "esnext",
    module: "preserve",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["*.ts"],
};

let mock: MockUpstream;
let gateway: RunningGateway;
let folder: string;

beforeAll(async () => {
  mock = startMockUpstream({ "up-first": () => Response.json(completion()) });
  gateway = await startGateway({ yaml: `endpoints: [messages, responses]\n${configFor(mock.baseUrl, ["first"])}` });
  await gateway.makeKey();
  folder = mkdtempSync(join(tmpdir(), "tollgate-clients-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const name of ["gateway", "platform"]) await generate(name);
  await write("openapi-fetch.ts", WITH_OPENAPI_FETCH);
  await write("functions.ts", WITH_FUNCTIONS);
  await write("tsconfig.json", JSON.stringify(TSCONFIG));
}, 300_000);

afterAll(async () => {
  await gateway?.stop();
  await mock?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

async function generate(name: string): Promise<void> {
  const served = await (await fetch(`${gateway.platformUrl}/docs/${name}.json`)).text();
  const document = join(folder, `${name}.json`);
  await Bun.write(document, served);
  await write(`${name}-paths.ts`, astToString(await openapiTypes(served)));
  await write(`${name}-functions.ts`, await generateSource(document));
}

async function write(file: string, text: string): Promise<void> {
  await Bun.write(join(folder, file), text);
}

test("they compile under --strict, with the programs that use them", async () => {
  const compiler = Bun.spawn([join(ROOT, "node_modules/.bin/tsc"), "-p", folder], { stdout: "pipe", stderr: "pipe" });
  expect(await new Response(compiler.stdout).text()).toBe("");
  expect(await compiler.exited).toBe(0);
}, 300_000);

test("no type has a number in its name because another has it", async () => {
  for (const name of ["gateway", "platform"]) {
    const source = await Bun.file(join(folder, `${name}-functions.ts`)).text();
    expect(source.match(/^export type \w+\d /gm)).toBeNull();
  }
});

for (const program of ["openapi-fetch", "functions"]) {
  test(`${program} makes a key, lists keys and models, and gets a completion`, async () => {
    const { call } = (await import(join(folder, `${program}.ts`))) as { call: Call };
    const called = await call(gateway.operatorToken, gateway.baseUrl, gateway.platformUrl);
    expect(called).toEqual({
      key: expect.stringMatching(/^sk-service-/) as string,
      keys: expect.arrayContaining(["test", program]) as string[],
      models: ["first"],
      text: "Hello world",
    });
  }, 300_000);
}
