import { fieldsOf, quoted, stacked, TYPESCRIPT_NOTATION } from "./literals.ts";
import type { SnippetCall } from "./snippet-call.ts";

export function typescriptSnippet({ baseUrl, key, body }: SnippetCall): string {
  const client = [`baseURL: ${quoted(baseUrl)}`, ...(key === null ? [] : [`apiKey: ${quoted(key)}`])];
  return `import OpenAI from "openai";

const client = new OpenAI({${client.length > 1 ? stacked(client, TYPESCRIPT_NOTATION) : ` ${client[0]!} `}});

${body["stream"] === true ? streamed(body) : whole(body)}`;
}

function whole(body: SnippetCall["body"]): string {
  return `const completion = await client.chat.completions.create(${argument(body)});
console.log(completion.choices[0]?.message.content);`;
}

function streamed(body: SnippetCall["body"]): string {
  return `const stream = await client.chat.completions.create(${argument(body)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
}`;
}

function argument(body: SnippetCall["body"]): string {
  return `{${stacked(fieldsOf(body, TYPESCRIPT_NOTATION, "  "), TYPESCRIPT_NOTATION)}}`;
}
