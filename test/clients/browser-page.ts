import OpenAI, { APIError } from "openai";

/** The functions that a page calls the gateway with. Built for the browser and run there; they return plain values to the test. */
interface Address {
  readonly baseURL: string;
  readonly apiKey: string;
}

const messages = [{ role: "user", content: "Hello!" }] satisfies OpenAI.ChatCompletionMessageParam[];

function connect(address: Address): OpenAI {
  return new OpenAI({ ...address, maxRetries: 0, dangerouslyAllowBrowser: true });
}

async function complete(address: Address, model: string): Promise<object> {
  const { data, request_id: requestId } = await connect(address).chat.completions.create({ model, messages }).withResponse();
  return { text: data.choices[0]?.message.content, requestId };
}

async function stream(address: Address, model: string): Promise<object> {
  const texts: string[] = [];
  const { data: chunks, request_id: requestId } = await connect(address)
    .chat.completions.create({ model, messages, stream: true })
    .withResponse();
  for await (const chunk of chunks) {
    texts.push(chunk.choices[0]?.delta.content ?? "");
    // The text received first, for a test that leaves the page in the middle of a response.
    Object.assign(globalThis, { texts });
  }
  return { texts, requestId };
}

async function listModels(address: Address): Promise<string[]> {
  const models = await Array.fromAsync(connect(address).models.list());
  return models.map((model) => model.id);
}

async function fail(address: Address, model: string): Promise<object> {
  try {
    await connect(address).chat.completions.create({ model, messages });
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return { status: error.status, code: error.code, requestId: error.requestID, retryAfter: error.headers?.get("retry-after") };
  }
  throw new Error("It should have failed, and did not.");
}

Object.assign(globalThis, { complete, stream, listModels, fail });
