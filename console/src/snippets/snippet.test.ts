import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envLines } from "./env-lines.ts";
import type { SnippetCall } from "./snippet-call.ts";
import { greetingBody, snippetsOf, type Snippet } from "./snippet.ts";

const folder = mkdtempSync(join(tmpdir(), "snippets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const plain: SnippetCall = { baseUrl: "http://localhost:8700/v1", key: "sk-service-abc", body: greetingBody("gpt-5") };

/** Values that could end a string, a line or a command in any of the languages. An escaped command would create a file. */
const hostile: SnippetCall = {
  baseUrl: "http://localhost:8700/v1'; touch owned; '",
  key: `sk-'"$(touch owned)\`id\`\\`,
  body: {
    model: `'; touch owned #"""'''\${process.exit()}%s$HOME!!`,
    messages: [
      { role: "user", content: "line\r\nnext\t\u0000\u0007 it's \\' \u2028\u2029\u202e\u2066 \u{e0001} 🙂 </script>" },
      { role: "user", content: [{ type: "text", text: `@file \\u0041 {x} ${"long ".repeat(40)}` }] },
    ],
    temperature: 0.25,
    seed: -3,
    stop: [],
    logit_bias: { "50256": -100 },
    metadata: { ["__proto__"]: "own", "with-dash": "1", class: "2" },
    store: false,
    tools: null,
    stream: true,
    top_k: 5,
    excluded: undefined,
  },
};

const stubs = {
  python: `import json
class OpenAI:
    def __init__(self, **given):
        self.given = given
        self.chat = self
        self.completions = self
    def create(self, **body):
        body.update(body.pop("extra_body", {}))
        print(json.dumps({"client": self.given, "body": body}))
        raise SystemExit
`,
  typescript: `export default class {
  constructor(given) { this.chat = { completions: { create(body) { console.log(JSON.stringify({ client: given, body })); process.exit(); } } }; }
}`,
};

/** The request that a snippet sends, found by running it with a stub client. */
async function sentBy({ id, text }: Snippet): Promise<unknown> {
  const place = mkdtempSync(join(folder, `${id}-`));
  if (id === "curl") {
    const script = `curl() { for part in "$@"; do printf '%s\\0' "$part"; done; }\n${text}\n`;
    const parts = (await output(["sh", "-c", script], place)).split("\0");
    return {
      url: parts.find((part) => part.startsWith("http")),
      authorization: parts[parts.indexOf("-H") + 1],
      body: JSON.parse(parts.at(-2)!),
    };
  }
  mkdirSync(join(place, "node_modules"));
  if (id === "python") {
    await Bun.write(join(place, "openai.py"), stubs.python);
    await Bun.write(join(place, "snippet.py"), text);
    return JSON.parse(await output(["python3", "snippet.py"], place));
  }
  await Bun.write(join(place, "node_modules", "openai", "index.js"), stubs.typescript);
  await Bun.write(join(place, "snippet.ts"), text);
  return JSON.parse(await output([process.execPath, "snippet.ts"], place));
}

async function output(command: string[], cwd: string): Promise<string> {
  const ran = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, problems] = await Promise.all([new Response(ran.stdout).text(), new Response(ran.stderr).text()]);
  expect([problems, existsSync(join(cwd, "owned"))]).toEqual(["", false]);
  return out;
}

function snippet(id: Snippet["id"], call: SnippetCall): Snippet {
  return snippetsOf(call).find((one) => one.id === id)!;
}

describe.each([
  ["plain", plain],
  ["hostile", hostile],
] as const)("a %s call", (_, call) => {
  const body = JSON.parse(JSON.stringify(call.body)) as object;

  test("curl sends the call unchanged", async () => {
    const sent = { url: `${call.baseUrl}/chat/completions`, authorization: `Authorization: Bearer ${call.key}`, body };
    expect(await sentBy(snippet("curl", call))).toEqual(sent);
  });

  test.skipIf(Bun.which("python3") === null)("Python sends the call unchanged", async () => {
    expect(await sentBy(snippet("python", call))).toEqual({ client: { base_url: call.baseUrl, api_key: call.key }, body });
  });

  test("TypeScript sends the call unchanged", async () => {
    expect(await sentBy(snippet("typescript", call))).toEqual({ client: { baseURL: call.baseUrl, apiKey: call.key }, body });
  });

  test("snippets contain no invisible or bidirectional characters", () => {
    for (const { text } of snippetsOf(call)) expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  });
});

test("snippets without a key read it from the environment", () => {
  const [curl, python, typescript] = snippetsOf({ ...plain, key: null }).map(({ text }) => text);
  expect(curl).toContain('-H "Authorization: Bearer $OPENAI_API_KEY"');
  expect(python).toContain('client = OpenAI(base_url="http://localhost:8700/v1")');
  expect(typescript).toContain('new OpenAI({ baseURL: "http://localhost:8700/v1" })');
});

test("a plain call renders as idiomatic code", () => {
  expect(snippet("python", plain).text).toBe(`from openai import OpenAI

client = OpenAI(
    base_url="http://localhost:8700/v1",
    api_key="sk-service-abc",
)

completion = client.chat.completions.create(
    model="gpt-5",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(completion.choices[0].message.content)`);
  expect(envLines(plain.baseUrl, plain.key!)).toBe("export OPENAI_BASE_URL=http://localhost:8700/v1\nexport OPENAI_API_KEY=sk-service-abc");
});
