import type { DeclaredModel } from "../../../models/declared-model.ts";
import type { DeclaredUpstream } from "../../../models/declared-upstream.ts";
import type { DeclaredIdentities } from "../../../models/identities/declared-identity.ts";
import type { ConvertedModel } from "./convert-model-list.ts";
import type { ConvertedFallback } from "./convert-fallbacks.ts";
import { identityOf, type Deployment } from "./convert-deployment.ts";
import { sampleFor, type ConvertedIdentity } from "./endpoint/convert-identity.ts";
import type { Selection } from "./convert-selection.ts";
import type { ExtraHeaders } from "./convert-headers.ts";
import { asUnsupported, type Unsupported } from "./unsupported.ts";
import { rankRoutes } from "./rank-routes.ts";
import { referenceIn, type Credential } from "./references.ts";

/** The contents of tollgate.yaml, each with a comment. */
export interface GatheredConfig {
  readonly upstreams: readonly { readonly declared: DeclaredUpstream; readonly note: string | undefined }[];
  readonly models: readonly { readonly declared: DeclaredModel; readonly note: string | undefined }[];
  /** The variables of the file, each with a sample value. */
  readonly variables: ReadonlyMap<string, string>;
  /** The plaintext secrets, by the names of the variables that replace them. */
  readonly secrets: ReadonlyMap<string, string>;
}

export const PLAINTEXT_SECRET = "a plaintext secret is not written to tollgate.yaml";

/**
 * Deployments with the same base URL, credential and timeouts share an upstream. A plaintext secret is replaced by a variable whose name is
 * not used in the LiteLLM file.
 */
export function gatherUpstreams(
  models: readonly ConvertedModel[],
  fallbacks: ReadonlyMap<string, readonly ConvertedFallback[]>,
  selection: Selection | undefined,
  source: { readonly text: string; readonly prefix: string },
  unsupported: Unsupported[],
): GatheredConfig {
  const deployments = models.flatMap((model) => model.deployments);
  const upstreams = new Map<string, GatheredConfig["upstreams"][number]>();
  const ids = new Set<string>();
  const secrets = new SecretNames(source.text, deployments);
  for (const deployment of deployments) {
    const key = identityOf(deployment);
    if (upstreams.has(key)) continue;
    const id = freeName(source.prefix + deployment.endpoint.name, (name) => ids.has(name), "-");
    ids.add(id);
    upstreams.set(key, toUpstream(id, deployment, secrets));
  }
  for (const credential of deployments.flatMap(secretsOf)) {
    if ("variable" in credential) continue;
    const why = `${PLAINTEXT_SECRET}: set ${secrets.nameOf(credential, "")} to it`;
    unsupported.push(asUnsupported(credential.node, why));
  }
  return {
    upstreams: [...upstreams.values()],
    models: models.map((model) => {
      const { declared, note } = toModel(model, (deployment) => upstreams.get(identityOf(deployment))!.declared.id, unsupported);
      const own = fallbacks.get(model.id);
      const isChosen = selection !== undefined && needsSelection(declared, selection);
      return { declared: { ...declared, ...(isChosen && { selection }), ...(own && { fallback_models: own }) }, note };
    }),
    variables: variablesOf(
      [...upstreams.values()].map(({ declared }) => declared),
      deployments,
    ),
    secrets: secrets.values,
  };
}

/** A model with one route needs no selection, and equal weights need no exact selection. */
function needsSelection({ routes }: DeclaredModel, selection: Selection): boolean {
  const served = routes.filter(({ weight }) => weight !== 0);
  const isUneven = served.some((one) => served.some((other) => one.priority === other.priority && one.weight !== other.weight));
  return selection === "exact" ? isUneven : served.length > 1;
}

function toUpstream(
  id: string,
  { endpoint, credential, timeouts, sentBeside }: Deployment,
  secrets: SecretNames,
): GatheredConfig["upstreams"][number] {
  const isPlaintext = credential !== undefined && "secret" in credential;
  return {
    declared: {
      id,
      ...(endpoint.preset === undefined ? { dialect: endpoint.dialect } : { preset: endpoint.preset }),
      base_url: endpoint.baseUrl,
      ...(endpoint.apiVersion !== undefined && { api_version: endpoint.apiVersion }),
      ...(endpoint.allowPrivate && { allow_private: true }),
      ...(credential && { credential: secrets.referenceTo(credential, id) }),
      ...(endpoint.identity && toIdentity(endpoint.identity, id, secrets)),
      ...toSentBeside(sentBeside, id, secrets),
      ...(Object.keys(timeouts).length > 0 && { timeouts }),
    },
    note: isPlaintext ? `set it to the value at ${credential.node.place}` : undefined,
  };
}

function toIdentity({ kind, fields, secrets: own }: ConvertedIdentity, id: string, secrets: SecretNames): DeclaredIdentities {
  const references = Object.entries(own).map(([field, each]) => [field, secrets.referenceTo(each, id, field)]);
  return { [kind]: { ...fields, ...Object.fromEntries(references) } };
}

function toSentBeside({ headers, ...rest }: ExtraHeaders, id: string, secrets: SecretNames): object {
  const values = Object.entries(headers ?? {}).map(([name, value]) => [
    name,
    "text" in value ? value.text : secrets.referenceTo(value, id, name.replaceAll(/[^a-z0-9]+/g, "_")),
  ]);
  return { ...rest, ...(headers && { headers: Object.fromEntries(values) as Record<string, string> }) };
}

/** The credential of a deployment, or the secrets of its identity, and the secrets in its headers. */
function secretsOf({ credential, endpoint: { identity }, sentBeside }: Deployment): Credential[] {
  const inHeaders = Object.values(sentBeside.headers ?? {}).flatMap((value) => ("text" in value ? [] : [value]));
  return [...(credential ? [credential] : []), ...Object.values(identity?.secrets ?? {}), ...inHeaders];
}

function toModel(
  { id, deployments, drops }: ConvertedModel,
  upstreamOf: (deployment: Deployment) => string,
  unsupported: Unsupported[],
): GatheredConfig["models"][number] {
  // All of its deployments have the same kind and account.
  const { kind, account, pricing, limits } = deployments[0]!;
  const { note, ...price } = pricing;
  const ranks = rankRoutes(
    deployments.map(({ rank }) => rank),
    unsupported,
  );
  const routes = deployments.map((deployment, at) => ({
    upstream: upstreamOf(deployment),
    model: deployment.endpoint.model,
    ...ranks[at],
    ...(Object.keys(deployment.routeLimits).length > 0 && { limits: deployment.routeLimits }),
    ...(Object.keys(deployment.defaults).length > 0 && { defaults: deployment.defaults }),
  }));
  const parameters = Object.fromEntries(drops.map((name) => [name, "drop"] as const));
  const accounts = account === undefined ? {} : { accounts: [account] };
  return {
    declared: { id, ...(kind !== "chat" && { kind }), ...accounts, routes, ...price, ...limits, ...(drops.length > 0 && { parameters }) },
    note,
  };
}

/** The variables of plaintext secrets, one per secret. */
class SecretNames {
  readonly #names = new Map<string, string>();
  readonly #isTaken: (name: string) => boolean;

  constructor(source: string, deployments: readonly Deployment[]) {
    const used = new Set(deployments.flatMap(secretsOf).flatMap((each) => ("variable" in each ? [each.variable] : [])));
    const names = this.#names;
    this.#isTaken = (name) => source.includes(name) || used.has(name) || names.values().some((other) => other === name);
  }

  get values(): ReadonlyMap<string, string> {
    return new Map([...this.#names].map(([secret, name]) => [name, secret]));
  }

  /** The text of tollgate.yaml that replaces a secret. */
  referenceTo(credential: Credential, upstreamId: string, field = "api_key"): string {
    return `\${${"variable" in credential ? credential.variable : this.nameOf(credential, upstreamId, field)}}`;
  }

  nameOf({ secret }: Extract<Credential, { secret: string }>, upstreamId: string, field = "api_key"): string {
    const known = this.#names.get(secret);
    if (known !== undefined) return known;
    const words = upstreamId
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .replaceAll(/^_|_$/g, "");
    const name = freeName(`${/^[A-Z]/.test(words) ? words : `SERVER_${words}`}_${field.toUpperCase()}`, this.#isTaken, "_");
    this.#names.set(secret, name);
    return name;
  }
}

/** `openai`, `openai-2`, … */
function freeName(name: string, isTaken: (name: string) => boolean, separator: string): string {
  let free = name;
  for (let number = 2; isTaken(free); number++) free = `${name}${separator}${number}`;
  return free;
}

function variablesOf(upstreams: readonly DeclaredUpstream[], deployments: readonly Deployment[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const { credential, aws, google, azure, ...rest } of upstreams) {
    const { organization, project, headers } = rest as { organization?: string; project?: string; headers?: Record<string, string> };
    for (const [field, text] of Object.entries({ credential, organization, project, ...headers, ...aws, ...google, ...azure })) {
      const name = text && referenceIn(text);
      if (name) values.set(name, sampleFor(field));
    }
  }
  for (const { endpoint } of deployments) {
    const name = referenceIn(endpoint.baseUrl);
    if (name !== undefined && !values.has(name))
      values.set(name, endpoint.baseUrl.startsWith("${") ? URL.parse(endpoint.sample)!.origin : "sample");
  }
  return values;
}
