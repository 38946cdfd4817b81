type Json = Record<string, unknown>;

/** The most inputs of one request, as at OpenAI. */
const MAX_INPUTS = 2048;

export interface ReceivedRequest {
  readonly model: string;
  readonly inputs: readonly (string | readonly number[])[];
  readonly body: Json;
  readonly path: string;
}

/** What a test can change of the next responses. */
export interface Behaviour {
  /** Returns another response for a request, which is then not billed. */
  fail?: (request: ReceivedRequest) => Response | undefined;
  /** Changes a billed response. */
  change?: (body: Json) => Json;
}

/** A strict double of an API for embeddings in OpenAI's format. It bills each text that it has embedded. */
export function startEmbeddingsServer() {
  const received: ReceivedRequest[] = [];
  const behaviour: Behaviour = {};
  let billedTokens = 0;

  function answer(request: ReceivedRequest): Response {
    const failure = behaviour.fail?.(request);
    if (failure) return failure;
    const { inputs, body } = request;
    if (inputs.length === 0 || inputs.length > MAX_INPUTS) return refuse(`input has ${inputs.length} items`);
    if (inputs.includes("")) return refuse("input has an empty text");
    const tokens = inputs.reduce((sum, input) => sum + tokensOf(input), 0);
    billedTokens += tokens;
    const isBase64 = body["encoding_format"] === "base64";
    const data = inputs.map((input, index) => {
      const vector = vectorOf(input, (body["dimensions"] as number | undefined) ?? 4);
      return { object: "embedding", index, embedding: isBase64 ? toBase64(vector) : vector };
    });
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    const whole = { object: "list", data, model: request.model, usage };
    return Response.json(behaviour.change?.(whole) ?? whole);
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = (await request.json()) as Json;
      const { input, model } = body as { input: string | (string | number[])[] | number[]; model: string };
      const inputs = typeof input === "string" ? [input] : typeof input[0] === "number" ? [input as number[]] : (input as string[]);
      const read = { model, inputs, body, path: new URL(request.url).pathname };
      received.push(read);
      return answer(read);
    },
  });
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    received,
    behaviour,
    get billedTokens() {
      return billedTokens;
    },
    stop: () => server.stop(true),
  };
}

export function refuse(message: string, status = 400): Response {
  return Response.json({ error: { message, type: "invalid_request_error", param: "input", code: null } }, { status });
}

/** The double's own tokenizer: a word is a token. */
export function tokensOf(input: string | readonly number[]): number {
  return typeof input === "string" ? input.split(/\s+/).length : input.length;
}

/** A vector that only this input has, of numbers that 32 bits hold exactly. */
export function vectorOf(input: string | readonly number[], dimensions = 4): number[] {
  const hash = Bun.hash(JSON.stringify(input));
  return Array.from({ length: dimensions }, (_, at) => Number((hash >> BigInt(8 * (at % 8))) & 0xffn) / 256);
}

function toBase64(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString("base64");
}
