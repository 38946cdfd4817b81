import { tokensOf, vectorOf } from "./embeddings-server.ts";

export type Json = Record<string, unknown>;

/** An accepted request. */
export interface ApiRequest {
  readonly path: string;
  readonly body: Json;
  readonly texts: readonly string[];
}

/** What an API embeds for a request, and how it writes the response. `tokens`: of each text. */
export interface Embedded {
  readonly texts: readonly string[];
  readonly dimensions: unknown;
  write(vectors: readonly number[][], tokens: readonly number[]): Json;
  headers?(tokens: number): Record<string, string>;
}

/** A strict double of an API for embeddings whose format is not OpenAI's. It bills each text that it has embedded. */
export interface EmbeddingsApi {
  readonly origin: string;
  /** The accepted requests, in the order of their arrival. */
  readonly received: ApiRequest[];
  /** The most requests that were in flight at once. */
  mostAtOnce: number;
  /** Responses wait until this many requests are in flight at once, the first time. */
  waitsFor: number;
  billedTokens: number;
  /** Returns another response for a request, which is then not billed. */
  fail: ((request: ApiRequest) => Response | undefined) | undefined;
  /** Changes a billed response. */
  change: ((body: Json) => unknown) | undefined;
  /** Replaces the headers of a response. */
  countHeader: (() => Record<string, string>) | undefined;
  reset(): void;
  stop(): Promise<void>;
}

/** `read`: what a request asks for, or its rejection. */
export function startEmbeddingsApi(
  read: (request: Request, path: string, body: Json, bytes: Uint8Array) => Embedded | Response | Promise<Embedded | Response>,
): EmbeddingsApi {
  let inFlight = 0;
  let met = Promise.withResolvers<void>();

  async function answer(request: Request): Promise<Response> {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const body = JSON.parse(Buffer.from(bytes).toString()) as Json;
    const { pathname: path } = new URL(request.url);
    const embedded = await read(request, path, body, bytes);
    await met.promise;
    if (embedded instanceof Response) return embedded;
    const { texts, dimensions } = embedded;
    const accepted = { path, body, texts };
    api.received.push(accepted);
    const failure = api.fail?.(accepted);
    if (failure) return failure;
    const tokens = texts.map(tokensOf);
    const sum = tokens.reduce((one, other) => one + other, 0);
    api.billedTokens += sum;
    const vectors = texts.map((text) => vectorOf(text, (dimensions as number | undefined) ?? 4));
    const written = embedded.write(vectors, tokens);
    return Response.json(api.change ? api.change(written) : written, { headers: api.countHeader?.() ?? embedded.headers?.(sum) ?? {} });
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      api.mostAtOnce = Math.max(api.mostAtOnce, ++inFlight);
      if (inFlight >= api.waitsFor) met.resolve();
      try {
        return await answer(request);
      } finally {
        inFlight--;
      }
    },
  });
  const api: EmbeddingsApi = {
    origin: `http://127.0.0.1:${server.port}`,
    received: [],
    mostAtOnce: 0,
    waitsFor: 1,
    billedTokens: 0,
    fail: undefined,
    change: undefined,
    countHeader: undefined,
    reset() {
      met = Promise.withResolvers();
      Object.assign(api, { mostAtOnce: 0, waitsFor: 1, billedTokens: 0, fail: undefined, change: undefined, countHeader: undefined });
      api.received.length = 0;
    },
    stop: () => server.stop(true),
  };
  return api;
}

/** The first field of an object that an API does not know. */
export function unknownField(object: unknown, known: readonly string[]): string | undefined {
  return Object.keys(object as Json).find((name) => !known.includes(name));
}

/** What an API requires of a text. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
