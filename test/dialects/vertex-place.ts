import { googleError, type GoogleCloud } from "../clouds/google-cloud.ts";
import type { AnthropicPlace } from "./anthropic-server.ts";
import { problemOfVertexRequest } from "./messages-rules.ts";

type Json = Record<string, unknown>;

const BASE_PATH = "/v1/projects/acme-prod/locations/global/publishers/anthropic";

/** The end of the names of models. */
export const DATE = "@20250929";

const PATH = new RegExp(`^${BASE_PATH}/models/(?:([\\w-]+)${DATE}|count-tokens):(rawPredict|streamRawPredict)$`);

/** Vertex AI as a place that serves the Messages API. The path has the model, the body the version, and a header the betas. */
export function vertexPlace(cloud: GoogleCloud): AnthropicPlace {
  return { basePath: BASE_PATH, read: (request) => read(request, cloud) };
}

async function read(request: Request, cloud: GoogleCloud): Promise<Json | Response> {
  const { headers } = request;
  const [path, model, method] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (request.method !== "POST" || path === undefined) return googleError(404, "NOT_FOUND", "Not found");
  if (!cloud.accepts(headers.get("authorization"))) return googleError(401, "UNAUTHENTICATED", "Invalid credentials.");
  if (headers.has("x-api-key") || headers.has("anthropic-version")) return googleError(400, "INVALID_ARGUMENT", "a header");
  const betas = headers.get("anthropic-beta")?.split(",") ?? [];
  const written = (await request.json()) as Json;
  if (model === undefined) return betas.length > 0 || !isCountRequest(written) ? googleError(400, "INVALID_ARGUMENT", "count") : written;
  const problem = problemOfVertexRequest(written, betas);
  if (problem !== undefined) return googleError(400, "INVALID_ARGUMENT", problem);
  const { anthropic_version: _version, ...body } = written;
  if ((body["stream"] === true) !== (method === "streamRawPredict")) return googleError(400, "INVALID_ARGUMENT", "stream");
  return { model, ...body };
}

function isCountRequest(body: Json): boolean {
  return Object.keys(body).every((name) => ["model", "messages", "system", "tools", "tool_choice", "thinking"].includes(name));
}
