import { afterAll, beforeAll, expect, test } from "bun:test";
import { failureOf } from "../clients/failure-of.ts";
import { answering, GOOD, refuse, streamed, whole } from "../support/upstreams/examined-upstream.ts";
import { chunk, events, startMockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { runInTerminal } from "./in-terminal.ts";
import { startFakePlatform } from "./fake-platform.ts";
import { commandRunner, type CommandRunner } from "./command-runner.ts";

const CREDENTIAL = "sk-canary-of-the-doctor";

const mock = startMockUpstream({
  good: answering(GOOD),
  odd: answering({ ...GOOD, plain: { ...GOOD.plain, streamed: streamed([{ role: "assistant", content: "1" }], "eos") } }),
  silent: answering({
    ...GOOD,
    plain: {
      whole: whole({ content: "1" }, "stop", { usage: undefined }),
      streamed: () => events([chunk({ content: "1" }), chunk({ role: "assistant" }), chunk({}, "eos")]),
    },
    tools: { whole: refuse(400, "no tools"), streamed: refuse(400, "no tools") },
    schema: { whole: refuse(400, "no schemas"), streamed: refuse(400, "no schemas") },
  }),
  shaky: answering({
    ...GOOD,
    plain: { ...GOOD.plain, streamed: refuse(500, "out of order") },
    tools: { whole: refuse(500, "out of order"), streamed: refuse(500, "out of order") },
  }),
  bad: refuse(401, `who are you, ${CREDENTIAL}?`),
});

let gateway: RunningGateway;
let tollgate: CommandRunner;

beforeAll(async () => {
  const at = `dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: ${CREDENTIAL}`;
  gateway = await startGateway({
    yaml: `upstreams:
  - { id: one, ${at} }
  - { id: two, ${at} }
models:
  - { id: team/chat, routes: [{ upstream: one, model: good }, { upstream: two, model: odd, max_price: { input_per_million: 1 } }], price: ${TEST_PRICE} }
  - { id: broken, routes: [{ upstream: one, model: bad }], price: ${TEST_PRICE} }
`,
  });
  tollgate = commandRunner(gateway);
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

test("tollgate doctor prints a report for each route of a model", async () => {
  const text = await tollgate.text("doctor team/chat");
  const [one, two] = text.split("\n\nodd at two\n\n") as [string, string];
  expect(one).toStartWith("good at one\n\n   CHECK ");
  for (const check of ["json", "stream", "tools", "json_schema", "usage", "cancel", "error"]) {
    for (const board of [one, two]) expect(board).toMatch(new RegExp(`^✓  ${check} +passed +[\\d,]+  \\S`, "m"));
  }
  expect(one).toEndWith("No format deviations.\n7 passed, in 35 tokens.");
  expect(two).toEndWith(
    "Format deviations, mended: role_repeated, finish_reason_renamed.\n7 passed, in 35 tokens.\nAs a route of team/chat it is excluded: it has a price cap, and its price is unknown.\n",
  );
});

test("it fails if a check fails, without printing the credential", async () => {
  const { code, stdout, stderr } = await tollgate.run("doctor broken");
  expect([code, stderr]).toEqual([1, "tollgate: 2 checks failed\n"]);
  expect(stdout).toMatch(/^✗ {2}json +failed +[\d,]+ {2}upstream status 401: who are you, \[secret\]\?$/m);
  expect(stdout).toMatch(/^– {2}tools +skipped +- {2}it responds neither/m);
  expect(stdout).toEndWith("\n\n2 failed, 5 skipped.\n");
  expect(stdout + gateway.output()).not.toContain(CREDENTIAL);
});

test("it claims nothing about the format after a failed check", async () => {
  const { stdout } = await tollgate.run("doctor shaky --upstream one");
  expect(stdout).toMatch(/\n\n\d passed, \d failed, in [\d,]+ tokens\.\n$/);
  expect(stdout).not.toContain("No format deviations");
});

test("it reports missing token counts, wrapped in a narrow terminal", async () => {
  const { screen } = await runInTerminal(gateway, "doctor silent --upstream one".split(" "), 64);
  expect(screen.split("\n").filter((line) => Bun.stringWidth(line) > 64)).toEqual([]);
  expect(screen.replaceAll(/\s+/g, " ")).toContain("so charges are estimated");
  expect(screen).toMatch(/^Format deviations, mended: .*,\n.*\.$/m);
  expect(screen.replaceAll(/\s+/g, " ")).toContain("the upstream reports no token counts.");
});

test("with --upstream it checks a model outside the catalog, and --json prints the reports", async () => {
  const { reports } = await tollgate.json<{ reports: Record<string, unknown>[] }>("doctor odd --upstream one");
  expect(reports).toEqual([
    expect.objectContaining({ upstream: "one", model: "odd", deviations: ["role_repeated", "finish_reason_renamed"], tokens: 35 }),
  ]);
  expect(reports[0]!["checks"]).toContainEqual({
    name: "usage",
    outcome: "passed",
    duration_ms: expect.any(Number),
    detail: "5 + 2 tokens as JSON, 5 + 2 tokens streamed",
  });
});

test("details are wrapped in a narrow terminal", async () => {
  const { screen } = await runInTerminal(gateway, ["doctor", "broken"], 62);
  expect(screen.split("\n").filter((line) => Bun.stringWidth(line) > 62)).toEqual([]);
  expect(screen).toMatch(/^✗ {2}json .*upstream status 401:.*\n {20,}.*\[secret\]\?$/m);
});

test("it reports an unknown model or upstream", async () => {
  expect((await tollgate.run("doctor nothing")).stderr).toBe(
    'tollgate: There is no model with the id "nothing". See: npx tollgate models list\n',
  );
  expect((await tollgate.run("doctor good --upstream nothing")).stderr).toBe(
    'tollgate: There is no upstream with the id "nothing". See: npx tollgate upstreams list\n',
  );
});

test("a member, who cannot see routes, receives an error", async () => {
  const platform = startFakePlatform(() => Response.json({ id: "team/chat" }));
  const env = { TOLLGATE_PLATFORM_URL: platform.url, TOLLGATE_ACCESS_TOKEN: "a-token-that-is-long-enough" };
  const { code, stderr } = await tollgate.run("doctor team/chat", { env });
  await platform.stop();
  expect([code, stderr]).toEqual([1, "tollgate: only operators can see where a model is served\n"]);
});

test("the platform requires the upstream model", async () => {
  const refusal = await failureOf(gateway.platform("POST", "/api/upstreams/one/doctor", {}));
  expect(String(refusal)).toContain('"code":"missing_required_parameter","param":"model"');
  const report = await gateway.platform("POST", "/api/upstreams/one/doctor", { model: "good" });
  expect(report).toMatchObject({ upstream: "one", model: "good", deviations: [], tokens: 35 });
});
