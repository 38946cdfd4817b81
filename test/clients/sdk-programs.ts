import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import OpenAI, { APIError as OpenAIError } from "openai";
import { makeParseableTextFormat } from "openai/lib/parser";
import { failureOf } from "./failure-of.ts";
import { PDF, PNG, SCHEMA, TOOL_SCHEMA } from "./sdk-model.ts";

/** Every feature of both formats in JavaScript, with the same results as the programs in Python. */

/** Keys, one of an account without credit, and one with one request per minute. */
export interface SdkAccess {
  readonly baseUrl: string;
  readonly key: string;
  readonly poorKey: string;
  readonly limitedKey: string;
}

type Results = Record<string, unknown>;

const WRONG_KEY = "sk-service-nothing";

function sortedIds(models: readonly { readonly id: string }[]): string[] {
  return models.map(({ id }) => id).toSorted((one, other) => one.localeCompare(other));
}

export async function runAnthropic(model: string, access: SdkAccess): Promise<Results> {
  const program = new AnthropicProgram(model, access);
  return {
    complete: await program.complete(),
    stream: await program.stream(),
    tools: await program.tools(),
    media: await program.media(),
    structured: await program.structured(),
    models: sortedIds(await Array.fromAsync(program.client.models.list())),
    count: await program.count(),
    errors: await program.errors(),
  };
}

class AnthropicProgram {
  readonly client: Anthropic;
  readonly #access: SdkAccess;
  readonly #model: string;
  readonly #prompt: Anthropic.MessageParam = { role: "user", content: "Hello!" };
  readonly #request: Anthropic.MessageCreateParamsNonStreaming;

  constructor(model: string, access: SdkAccess) {
    this.#access = access;
    this.#model = model;
    this.client = this.#connect(access.key, 0);
    this.#request = { model, max_tokens: 100, messages: [this.#prompt] };
  }

  #connect(apiKey: string, maxRetries = 2): Anthropic {
    return new Anthropic({ baseURL: this.#access.baseUrl.replace(/\/v1$/, ""), apiKey, maxRetries });
  }

  async complete(): Promise<unknown> {
    const system = [{ type: "text" as const, text: "Be brief.", cache_control: { type: "ephemeral" as const } }];
    const message = await this.client.messages.create({ ...this.#request, system });
    return { text: textOf(message), stop: message.stop_reason, usage: countsOf(message), model: message.model };
  }

  async stream(): Promise<unknown> {
    const stream = this.client.messages.stream(this.#request);
    let text = "";
    stream.on("text", (piece) => (text += piece));
    const message = await stream.finalMessage();
    return { text, stop: message.stop_reason, usage: countsOf(message) };
  }

  async tools(): Promise<unknown> {
    const tool = { name: "weather", description: "The weather in a city.", input_schema: TOOL_SCHEMA };
    const thinking = { type: "enabled", budget_tokens: 1024 } as const;
    const request = { model: this.#model, max_tokens: 2000, tools: [tool], thinking };
    const first = await this.client.messages.stream({ ...request, messages: [this.#prompt] }).finalMessage();
    const thoughts = first.content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : []));
    const calls = first.content.filter((block) => block.type === "tool_use");
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "rain" }));
    const turns: Anthropic.MessageParam[] = [
      this.#prompt,
      { role: "assistant", content: first.content },
      { role: "user", content: results },
    ];
    const second = await this.client.messages.create({ ...request, messages: turns });
    return { thoughts, calls: calls.map(({ name, input }) => [name, input]), text: textOf(second) };
  }

  async media(): Promise<string> {
    const content: Anthropic.ContentBlockParam[] = [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
      { type: "text", text: "What is this?" },
    ];
    return textOf(await this.client.messages.create({ ...this.#request, messages: [{ role: "user", content }] }));
  }

  async structured(): Promise<unknown> {
    const message = await this.client.messages.parse({ ...this.#request, output_config: { format: jsonSchemaOutputFormat(SCHEMA) } });
    return message.parsed_output;
  }

  async count(): Promise<unknown> {
    try {
      return (await this.client.messages.countTokens({ model: this.#model, messages: [this.#prompt] })).input_tokens;
    } catch (error) {
      return typeOf(error);
    }
  }

  async errors(): Promise<Results> {
    const limited = this.#connect(this.#access.limitedKey, 0);
    await limited.messages.create(this.#request);
    return {
      key: await this.#errorOf(this.#connect(WRONG_KEY)),
      model: await this.#errorOf(this.client, { model: "nothing" }),
      value: await this.#errorOf(this.client, { max_tokens: -1 }),
      upstream: await this.#errorOf(this.client, { model: "claude-refusing" }),
      credit: await this.#errorOf(this.#connect(this.#access.poorKey)),
      rate: await this.#errorOf(limited),
    };
  }

  async #errorOf(client: Anthropic, more: object = {}): Promise<unknown> {
    const error = await failureOf(client.messages.create({ ...this.#request, ...more }));
    return error instanceof AnthropicError ? [error.constructor.name, error.status, typeOf(error)] : error;
  }
}

function textOf({ content }: Anthropic.Message): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

function countsOf({ usage }: Anthropic.Message): unknown[] {
  return [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.output_tokens];
}

function typeOf(error: unknown): unknown {
  return error instanceof AnthropicError ? (error.error as { error: { type: unknown } }).error.type : error;
}

export async function runOpenAI(model: string, access: SdkAccess): Promise<Results> {
  const program = new OpenAIProgram(model, access);
  return {
    complete: await program.complete(),
    stream: await program.stream(),
    tools: await program.tools(),
    media: await program.media(),
    structured: await program.structured(),
    models: sortedIds(await Array.fromAsync(program.client.models.list())),
    errors: await program.errors(),
  };
}

class OpenAIProgram {
  readonly client: OpenAI;
  readonly #access: SdkAccess;
  readonly #model: string;
  readonly #request: OpenAI.Responses.ResponseCreateParamsNonStreaming;

  constructor(model: string, access: SdkAccess) {
    this.#access = access;
    this.#model = model;
    this.client = this.#connect(access.key, 0);
    this.#request = { model, input: "Hello!" };
  }

  #connect(apiKey: string, maxRetries = 2): OpenAI {
    return new OpenAI({ baseURL: this.#access.baseUrl, apiKey, maxRetries });
  }

  async complete(): Promise<unknown> {
    const response = await this.client.responses.create({ ...this.#request, instructions: "Be brief.", store: false });
    return { text: response.output_text, status: response.status, usage: tokensOf(response), model: response.model };
  }

  async stream(): Promise<unknown> {
    const stream = this.client.responses.stream({ model: this.#model, input: "Hello!" });
    let text = "";
    stream.on("response.output_text.delta", ({ delta }) => void (text += delta));
    const response = await stream.finalResponse();
    return { text, status: response.status, usage: tokensOf(response) };
  }

  async tools(): Promise<unknown> {
    const request: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model: this.#model,
      tools: [{ type: "function", name: "weather", parameters: TOOL_SCHEMA, strict: true }],
      reasoning: { effort: "high" },
      include: ["reasoning.encrypted_content"],
    };
    const question = { role: "user" as const, content: "Hello!" };
    const first = await this.client.responses.create({ ...request, input: [question] });
    const thoughts = first.output.flatMap((item) => (item.type === "reasoning" ? item.summary.map(({ text }) => text) : []));
    const calls = first.output.filter((item) => item.type === "function_call");
    const results = calls.map(({ call_id: id }) => ({ type: "function_call_output" as const, call_id: id, output: "rain" }));
    const input = [question, ...first.output, ...results] as OpenAI.Responses.ResponseInput;
    const second = await this.client.responses.create({ ...request, input });
    return { thoughts, calls: calls.map(({ name, arguments: args }) => [name, JSON.parse(args)]), text: second.output_text };
  }

  async media(): Promise<string> {
    const content: OpenAI.Responses.ResponseInputContent[] = [
      { type: "input_image", image_url: `data:image/png;base64,${PNG}`, detail: "auto" },
      { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${PDF}` },
      { type: "input_text", text: "What is this?" },
    ];
    return (await this.client.responses.create({ model: this.#model, input: [{ role: "user", content }] })).output_text;
  }

  async structured(): Promise<unknown> {
    const format = makeParseableTextFormat({ type: "json_schema", name: "weather", strict: true, schema: SCHEMA }, parseJson);
    return (await this.client.responses.parse({ model: this.#model, input: "Hello!", text: { format } })).output_parsed;
  }

  async errors(): Promise<Results> {
    const limited = this.#connect(this.#access.limitedKey, 0);
    await limited.responses.create(this.#request);
    return {
      key: await this.#errorOf(this.#connect(WRONG_KEY)),
      model: await this.#errorOf(this.client, { model: "nothing" }),
      value: await this.#errorOf(this.client, { max_output_tokens: -1 }),
      upstream: await this.#errorOf(this.client, { model: "gpt-refusing" }),
      credit: await this.#errorOf(this.#connect(this.#access.poorKey)),
      rate: await this.#errorOf(limited),
    };
  }

  async #errorOf(client: OpenAI, more: object = {}): Promise<unknown> {
    const error = await failureOf(client.responses.create({ ...this.#request, ...more }));
    return error instanceof OpenAIError ? [error.constructor.name, error.status, error.code] : error;
  }
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

function tokensOf({ usage }: OpenAI.Responses.Response): unknown[] {
  return [usage!.input_tokens, usage!.input_tokens_details.cached_tokens, usage!.output_tokens, usage!.total_tokens];
}
