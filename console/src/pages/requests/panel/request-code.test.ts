import { expect, test } from "bun:test";
import { languagesFor, toCode } from "./request-code.ts";

const gatewayUrl = "http://127.0.0.1:8700/v1";

/** The arguments that a real shell passes to curl. */
async function argumentsOf(command: string): Promise<string[]> {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`;
  const child = Bun.spawn(["sh", "-c", script], { env: { PATH: process.env["PATH"]!, OPENAI_API_KEY: "sk-test" }, stdout: "pipe" });
  return (await new Response(child.stdout).text()).split("\0").slice(0, -1);
}

test("uses model and stream setting where the body is not stored", async () => {
  const [, url, , authorization, , type, , data] = await argumentsOf(
    toCode("curl", { gatewayUrl, body: null, model: "gpt-4o", isStream: true, endpoint: "chat_completions" }),
  );
  expect(url).toBe(`${gatewayUrl}/chat/completions`);
  expect([authorization, type]).toEqual(["Authorization: Bearer sk-test", "Content-Type: application/json"]);
  expect(JSON.parse(data!)).toEqual({ model: "gpt-4o", messages: [{ role: "user", content: "Hello" }], stream: true });
});

test.each([
  "'; touch /tmp/owned; echo '",
  "$(touch owned)`touch owned`",
  "\\'; touch owned #",
  '"; touch owned; "',
  "a\n'\ntouch owned\n",
  "!history $HOME ~ * \\n %s",
  "\u009b201~touch owned\r\u001b[201~",
  "\u202efdp.exe\u2066 and \u200b\ufeff nothing",
  "",
])("quotes %j for a shell", async (text) => {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: text }] });
  for (const given of [
    { body, model: "m" },
    { body: null, model: text },
  ]) {
    const command = toCode("curl", { gatewayUrl, isStream: false, endpoint: "chat_completions", ...given });
    // oxlint-disable-next-line no-control-regex -- these characters must not occur
    expect(command).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
    const data = (await argumentsOf(command)).at(-1)!;
    const sent = JSON.parse(data) as { model: string; messages: { content: string }[] };
    expect(given.body === null ? sent.model : sent.messages[0]!.content).toBe(text);
  }
});

test("sends a stored body unchanged, with numbers beyond JavaScript's precision", async () => {
  const body = '{"model":"m","seed":12345678901234567890,"messages":[]}';
  expect((await argumentsOf(toCode("curl", { gatewayUrl, body, model: "m", isStream: false, endpoint: "chat_completions" }))).at(-1)).toBe(
    body,
  );
});

test("does not send a truncated body", async () => {
  const data = (
    await argumentsOf(toCode("curl", { gatewayUrl, body: '{"model":"m","mess', model: "m", isStream: false, endpoint: "chat_completions" }))
  ).at(-1)!;
  expect(JSON.parse(data)).toEqual({ model: "m", messages: [{ role: "user", content: "Hello" }] });
});

test("quotes the base URL", async () => {
  const [url] = await argumentsOf(
    toCode("curl", { gatewayUrl: "http://x/'; touch owned; '", body: null, model: "m", isStream: false, endpoint: "chat_completions" }),
  );
  expect(url).toBe("http://x/'; touch owned; '/chat/completions");
});

test("Python and JavaScript repeat a stored body, and read the key from the environment", () => {
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "it's \u202e" }], stream: true, top_k: 5 });
  const python = toCode("Python", { gatewayUrl, body, model: "m", isStream: true, endpoint: "chat_completions" });
  expect(python).toContain(`client = OpenAI(base_url="${gatewayUrl}")`);
  expect(python).toContain(String.raw`messages=[{"role": "user", "content": "it's \u202e"}],`);
  expect(python).toContain('extra_body={"top_k": 5}');
  const javascript = toCode("JavaScript", { gatewayUrl, body, model: "m", isStream: true, endpoint: "chat_completions" });
  expect(javascript).toContain(`new OpenAI({ baseURL: "${gatewayUrl}" })`);
  expect(javascript).toContain(String.raw`messages: [{ role: "user", content: "it's \u202e" }],`);
});

test("calls the endpoint of the request, with an example of its format where the body is not stored", async () => {
  const call = { gatewayUrl, model: "m", isStream: false };
  const sent = async (endpoint: "messages" | "responses", body: string | null): Promise<[string, unknown]> => {
    const all = await argumentsOf(toCode("curl", { ...call, endpoint, body }));
    return [all[0]!, JSON.parse(all.at(-1)!)];
  };
  const example = { model: "m", max_tokens: 1024, messages: [{ role: "user", content: "Hello" }] };
  expect(await sent("messages", null)).toEqual([`${gatewayUrl}/messages`, example]);
  expect(await sent("messages", '{"model":"m","system":"x"}')).toEqual([`${gatewayUrl}/messages`, { model: "m", system: "x" }]);
  expect(await sent("responses", null)).toEqual([`${gatewayUrl}/responses`, { model: "m", input: "Hello" }]);
  expect([languagesFor("responses"), languagesFor("chat_completions").length]).toEqual([["curl"], 3]);
});
