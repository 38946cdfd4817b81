import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream({ "up-m": () => Response.json(completion()) });
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, ["m"]) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

function post(body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body });
}

async function refusalOf(body: string): Promise<{ status: number; code: string; message: string; param: string | null }> {
  const reply = await post(body);
  const { error } = (await reply.json()) as { error: { code: string; message: string; param: string | null } };
  return { status: reply.status, ...error };
}

/** Characters of every width, escapes, and text that looks like a field. */
const SPELLED = "Ünïcödé 漢字 🙂 " + String.raw`\"model\":\"m\" {[,\\ \\d \/ \u00fc \ud83d\ude42 \ud800 \n `;

test.each([
  [
    "in front",
    (messages: string, model: string) => ` {\n"model" : "${model}" ,"messages":${messages}, "größe":12345678901234567890, "x":1.0 }\n`,
  ],
  ["behind", (messages: string, model: string) => `{"messages":${messages},"größe":1e400,\t"\\u006dodel":"${model}"}`],
])("a prompt of any size arrives byte for byte, with the name of its model %s", async (_, bodyWith) => {
  for (const times of [1, 10, 1000, 10_000]) {
    const messages = `[{"role":"user","content":"${SPELLED.repeat(times)}","model":"m"}, {"role":"user","content":"ü"}]`;
    const reply = await post(bodyWith(messages, "m"));
    expect(reply.status).toBe(200);
    expect(mock.last().text === bodyWith(messages, "up-m")).toBe(true);
  }
});

test.each([
  ["a line end", "\n"],
  ["an escape that is none", String.raw`\x`],
  ["half an escape", String.raw`\u00g0`],
])("%s inside of a long string is reported with its position", async (_, wrong) => {
  const body = `{"model":"m",\n"messages":[{"role":"user","content":"${SPELLED.repeat(100)}${wrong}${SPELLED}"}]}`;
  const { status, code, message } = await refusalOf(body);
  expect([status, code]).toEqual([400, "invalid_json"]);
  expect(message).toContain("at line 2, column ");
});

test("an invalid field among long strings is named, and a long value is not repeated", async () => {
  const content = SPELLED.repeat(100);
  const messages = `{"role":"user","content":"${content}"},{"role":"${content}","content":"${content}"}`;
  const refusal = await refusalOf(`{"model":"m","messages":[${messages}]}`);
  expect(refusal).toMatchObject({ status: 400, code: "invalid_value", param: "messages[1].role" });
  expect(refusal.message).toContain("not a string");
});

test("a repeated non-ASCII field is rejected, whatever its escapes", async () => {
  const refusal = await refusalOf(String.raw`{"model":"m","messages":[{"role":"user","content":"hi"}],"ü":1,"\u00fc":2}`);
  expect(refusal).toMatchObject({ status: 400, param: "ü", message: 'The field "ü" is given twice.' });
});

test("a byte order mark is not forwarded", async () => {
  const body = '{"model":"m","messages":[{"role":"user","content":"ü"}]}';
  expect((await post(`\ufeff${body}`)).status).toBe(200);
  expect(mock.last().text).toBe(body.replace('"m"', '"up-m"'));
});
