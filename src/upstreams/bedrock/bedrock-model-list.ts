import { isObject } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { ListedModel, ModelsRequest } from "../dialect.ts";
import { headersFor } from "./bedrock-request.ts";

/** `ListFoundationModels`: models that can be called by their own ID. Others need an inference profile. */
const MODELS = "/foundation-models?byOutputModality=TEXT&byInferenceType=ON_DEMAND";

/** `ListInferenceProfiles`: those of AWS itself, such as `us.anthropic.claude-…`. */
const PROFILES = "/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED";

/** The list is that of the control plane, at a host of its own: `bedrock`, not `bedrock-runtime`. Behind a private endpoint it may be the same. */
export function bedrockModelsRequest({ baseUrl }: RemoteSettings, credential: Secret | undefined, page = MODELS): ModelsRequest {
  const controlPlane = baseUrl.replace(/^(https:\/\/bedrock)-runtime(?=[.-])/, "$1");
  return { path: page, headers: headersFor(credential, "application/json"), baseUrl: controlPlane };
}

/** The models are in one page; the profiles, in pages of their own, follow. */
export function nextPage(text: string, page: string | undefined): string | undefined {
  if (page === undefined) return PROFILES;
  const answer: unknown = JSON.parse(text);
  const next = isObject(answer) ? answer["nextToken"] : undefined;
  return typeof next === "string" && next !== "" ? `${PROFILES}&nextToken=${encodeURIComponent(next)}` : undefined;
}

export function modelsIn(text: string): ListedModel[] {
  const answer: unknown = JSON.parse(text);
  const { modelSummaries: models, inferenceProfileSummaries: profiles } = isObject(answer) ? answer : {};
  if (Array.isArray(models)) return models.filter(isObject).flatMap(({ modelId, providerName }) => listed(modelId, providerName));
  if (Array.isArray(profiles)) return profiles.filter(isObject).flatMap(({ inferenceProfileId }) => listed(inferenceProfileId));
  throw new Error("it does not answer like a model server");
}

function listed(id: unknown, ownedBy?: unknown): ListedModel[] {
  if (typeof id !== "string" || id === "") return [];
  return [{ id, ownedBy: typeof ownedBy === "string" ? ownedBy : undefined, createdSeconds: undefined }];
}
