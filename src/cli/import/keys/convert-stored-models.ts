import { isMap, isScalar, isSeq, parseDocument, stringify } from "yaml";
import { PLAINTEXT_SECRET } from "../litellm/gather-upstreams.ts";
import { convertConfig } from "../litellm/import-litellm.ts";
import { isCiphertext, type LiteLLMDecryption } from "./decrypt-litellm.ts";
import type { ImportPlan, ImportReport } from "./import-plan.ts";
import { isTrueIn, objectIn, textIn, type Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

const TABLE = "LiteLLM_ProxyModelTable";
/**
 * The prefix of upstream IDs, and so of their variables. The upstreams of LiteLLM's config file, which is converted separately, have the
 * same names without it.
 */
const PREFIX = "db-";

/** Fields that LiteLLM stores for each model, with its default values. */
const DEFAULTS =
  /^(allow_client_keepalive_override|use_in_pass_through|use_litellm_proxy|use_xai_oauth|merge_reasoning_content_in_choices|member_auto_router)$/;
/** Fields that the database adds to a row. */
const BOOKKEEPING = /^(id|db_model|(created|updated)_(at|by))$/;

interface StoredModel {
  readonly model_name: string;
  readonly litellm_params: Readonly<Record<string, unknown>>;
  readonly model_info: Readonly<Record<string, unknown>>;
}

/**
 * The models of LiteLLM's database as a tollgate.yaml, converted like its config file. Their secrets are written to a separate file of
 * environment variables.
 */
export async function convertStoredModels(
  tables: SourceTables,
  decryption: LiteLLMDecryption,
  accountOf: (team: string) => string | undefined,
  report: ImportReport,
): Promise<ImportPlan["config"]> {
  const models = (await tables.read(TABLE)).map((row) => readModel(row, decryption));
  if (models.length === 0) return undefined;
  const settings = new Map((await tables.read("LiteLLM_Config")).map((row) => [textIn(row, "param_name"), objectIn(row, "param_value")]));
  const config = {
    model_list: models,
    credential_list: await readCredentials(tables, models, decryption),
    ...Object.fromEntries(["router_settings", "litellm_settings", "general_settings"].map((name) => [name, settings.get(name) ?? {}])),
  };
  const { imported, secrets } = convertConfig(stringify(config, { aliasDuplicateObjects: false }), TABLE, {
    prefix: PREFIX,
    environment: {},
    accountOf,
  });
  for (const { field, why } of imported.unsupported)
    if (!why.startsWith(PLAINTEXT_SECRET)) report.add(withNames(why, models), withNames(field, models));
  if (imported.models === 0) return undefined;
  const environment = new Map(secrets);
  for (const name of imported.variables) {
    if (secrets.has(name)) continue;
    const stored = textIn(settings.get("environment_variables") ?? {}, name);
    if (stored === null) report.add("variables that are not in LiteLLM's database: set them in the environment of the gateway", name);
    else environment.set(name, decryption.read(stored, `the variable ${name}`));
  }
  return { yaml: withOwnComments(imported.config), environment: environmentFile(environment, report) };
}

function readModel(row: Row, decryption: LiteLLMDecryption): StoredModel {
  const name = textIn(row, "model_name") ?? "?";
  const info = objectIn(row, "model_info");
  const params = objectIn(row, "litellm_params");
  // In a row that was inserted without encryption, a long secret may look like a ciphertext.
  const isEncrypted = isCiphertext(textIn(params, "model") ?? "");
  const read = isEncrypted ? decryption : { read: (text: string) => decryption.tryRead(text) ?? text };
  return {
    model_name: name,
    litellm_params: withoutDefaults(decrypted(params, read, `model ${name}`)),
    model_info: { ...withoutDefaults(info), ...(isTrueIn(row, "blocked") && { blocked: true }) },
  };
}

function withoutDefaults(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !BOOKKEEPING.test(name) && !(DEFAULTS.test(name) && !value)));
}

/** Decrypts the texts of an object. LiteLLM encrypts each text separately, and no other values. */
function decrypted(
  fields: Readonly<Record<string, unknown>>,
  decryption: Pick<LiteLLMDecryption, "read">,
  whose: string,
): Record<string, unknown> {
  const read = ([name, value]: [string, unknown]): [string, unknown] => [
    name,
    typeof value === "string" ? decryption.read(value, `${name} of ${whose}`) : value,
  ];
  return Object.fromEntries(Object.entries(fields).map(read));
}

/** The credentials that models refer to, as a `credential_list`. */
async function readCredentials(tables: SourceTables, models: readonly StoredModel[], decryption: LiteLLMDecryption): Promise<object[]> {
  const used = new Set(models.map(({ litellm_params: params }) => params["litellm_credential_name"]));
  const rows = (await tables.read("LiteLLM_CredentialsTable")).filter((row) => used.has(textIn(row, "credential_name")));
  return rows.map((row) => {
    const name = textIn(row, "credential_name")!;
    return { credential_name: name, credential_values: decrypted(objectIn(row, "credential_values"), decryption, `credential ${name}`) };
  });
}

/** Replaces positions by model names: `model_list[3].litellm_params.rpm` belongs to the fourth model. */
function withNames(text: string, models: readonly StoredModel[]): string {
  return text.replaceAll(/\bmodel_list\[(\d+)\](?:\.(\w+(?:[.[]\w+\]?)*))?/g, (_, at: string, field?: string) => {
    const { model_name: name, model_info: info } = models[Number(at)]!;
    const model = `model ${textIn(info, "team_public_model_name") ?? name}`;
    return field === undefined ? model : `${field} of ${model}`;
  });
}

/** Removes the comments that refer to lines of a converted file, because this config is not converted from a file. */
function withOwnComments(yaml: string): string {
  const document = parseDocument(yaml);
  const upstreams: unknown = document.get("upstreams");
  for (const upstream of isSeq(upstreams) ? upstreams.items : []) {
    const credential: unknown = isMap(upstream) ? upstream.get("credential", true) : undefined;
    if (isScalar(credential)) credential.comment = null;
  }
  document.commentBefore = " The models of LiteLLM's database, by tollgate import keys. The file with .env at its end has their secrets.";
  document.comment = null;
  return document.toString({ lineWidth: 0 });
}

/** One variable per line. The JSON key of a service account may have several lines, so it is joined into one. */
function environmentFile(values: ReadonlyMap<string, string>, report: ImportReport): string {
  return [...values]
    .map(([name, value]) => {
      const line = value.includes("\n") ? jsonLine(value) : value;
      if (line !== undefined) return `${name}=${line}\n`;
      report.add("secrets of several lines are not in the .env file: set them in the environment of the gateway", name);
      return "";
    })
    .join("");
}

function jsonLine(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
