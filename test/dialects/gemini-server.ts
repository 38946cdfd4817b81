import { needsSignatures } from "../../src/upstreams/gemini/gemini-model.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { answerOf, errorOf, framesOf, KEY_INVALID } from "./gemini-answers.ts";
import { findGeminiViolation, findTurnViolation, type GeminiBody } from "./gemini-format.ts";

/** A mock of Google's Gemini API: as strict as the real one about requests, with scripted responses. */

export const CREDENTIAL = "google-credential-canary";

export interface GeminiRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly body: GeminiBody;
}

/** The events of a response. If the request is not for a stream, they are merged into one. */
export type Script = (request: GeminiRequest) => readonly object[] | Response;

export interface GeminiServer {
  readonly baseUrl: string;
  /** The last accepted request. */
  last(): GeminiRequest;
  stop(): Promise<void>;
}

/** A place that serves the API: Google's Gemini API or Vertex AI. */
export interface GeminiPlace {
  readonly basePath: string;
  /** Why a request is rejected, if it is. */
  refusalOf(headers: Headers): Response | undefined;
  /** Whether the API accepts IDs of calls. Vertex AI rejects them. */
  readonly hasCallIds: boolean;
}

const GEMINI_API: GeminiPlace = {
  basePath: "/v1beta",
  refusalOf: (headers) => (headers.get("x-goog-api-key") === CREDENTIAL ? undefined : refuse(KEY_INVALID)),
  hasCallIds: true,
};

const METHOD = /^\/models\/([\w.-]+):(generateContent|streamGenerateContent)$/;

export function startGeminiServer(scripts: Readonly<Record<string, Script>>, place: GeminiPlace = GEMINI_API): GeminiServer {
  const requests: GeminiRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const refused = place.refusalOf(request.headers);
      if (refused) return refused;
      const below = pathname.startsWith(`${place.basePath}/`) ? pathname.slice(place.basePath.length) : "";
      if (below === "/models" && place === GEMINI_API) return Response.json({ models: listed(Object.keys(scripts)) });
      const [, model = "", method] = METHOD.exec(below) ?? [];
      const script = scripts[model];
      if (request.method !== "POST" || !script) return refuse(errorOf(404, "NOT_FOUND", `${pathname} is not found.`));
      const isStream = method === "streamGenerateContent";
      if (search !== (isStream ? "?alt=sse" : "")) return refuse(errorOf(400, "INVALID_ARGUMENT", `an odd query: ${search}`));
      const body = (await request.json()) as GeminiBody;
      const problem =
        findGeminiViolation(body) ?? findTurnViolation(body, needsSignatures(model)) ?? (place.hasCallIds ? undefined : findCallId(body));
      if (problem !== undefined) return refuse(errorOf(400, "INVALID_ARGUMENT", problem));
      requests.push({ model, isStream, body });
      return answer(script({ model, isStream, body }), isStream);
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}${place.basePath}`, last: () => requests.at(-1)!, stop: () => server.stop(true) };
}

function findCallId({ contents }: GeminiBody): string | undefined {
  const isThere = contents.some(({ parts }) => parts.some((part) => part.functionCall?.id ?? part.functionResponse?.id));
  return isThere ? 'Invalid JSON payload received. Unknown name "id" at contents' : undefined;
}

function declared(id: string, upstream: string, model: string): string {
  return `  - { id: ${id}, owned_by: test, routes: [{ upstream: ${upstream}, model: ${model} }], price: ${TEST_PRICE} }`;
}

/** A config file with a model for each name, served under the same name, and a model `locked`, whose credential is wrong. */
export function geminiConfig(baseUrl: string, models: readonly string[]): string {
  return `upstreams:
  - { id: google, dialect: gemini, base_url: "${baseUrl}", allow_private: true, credential: ${CREDENTIAL} }
  - { id: locked, dialect: gemini, base_url: "${baseUrl}", allow_private: true, credential: wrong-credential-canary }
models:
${models.map((name) => declared(name, "google", name)).join("\n")}
${declared("locked", "locked", models[0]!)}
`;
}

export function refuse(error: Record<string, unknown>): Response {
  return Response.json(error, { status: (error["error"] as { code: number }).code });
}

function answer(events: readonly object[] | Response, isStream: boolean): Response {
  if (events instanceof Response) return events;
  if (isStream) return new Response(framesOf(events), { headers: { "content-type": "text/event-stream" } });
  return Response.json(events.reduce(merge));
}

/** Merges two events: the parts of both, and the other fields of the second. */
function merge(one: object, other: object): object {
  const parts = [...partsOf(one), ...partsOf(other)];
  const { candidates, ...rest } = other as { candidates?: { finishReason?: string }[] };
  return candidates ? { ...answerOf(parts, candidates[0]?.finishReason), ...rest } : { ...one, ...rest };
}

function partsOf(event: object): object[] {
  return (event as { candidates?: { content?: { parts: object[] } }[] }).candidates?.[0]?.content?.parts ?? [];
}

function listed(names: readonly string[]): object[] {
  return names.map((name) => ({ name: `models/${name}`, supportedGenerationMethods: ["generateContent"] }));
}
