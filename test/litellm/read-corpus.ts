import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** A LiteLLM config, and the expected result of its import. */
export interface Case {
  readonly file: string;
  readonly name: string;
  readonly config: string;
  /** The complete new file. */
  readonly upstreams: readonly unknown[];
  readonly models: readonly unknown[];
  /** The start of each reason, with the fields that it is reported for. */
  readonly reports: Readonly<Record<string, readonly string[]>>;
  /** Keys whose removal changes nothing, because their values are LiteLLM's defaults. */
  readonly without_effect: readonly string[];
  /** The error of a file that cannot be converted. */
  readonly error?: string;
}

const FOLDER = join(import.meta.dir, "corpus");

/** The models of cases that have only `settings`. */
const MODEL_LIST = `model_list:
  - model_name: chat
    litellm_params: { model: openai/gpt-4o }
`;

const OPENAI = { id: "openai", dialect: "openai", base_url: "https://api.openai.com/v1", credential: "${OPENAI_API_KEY}" };
const CHAT = { id: "chat", routes: [{ upstream: "openai", model: "gpt-4o" }] };

type WrittenCase = Partial<Omit<Case, "file">> & { readonly name: string; readonly settings?: string };

export const CASES: readonly Case[] = readdirSync(FOLDER)
  .toSorted()
  .flatMap((file) => (parse(readFileSync(join(FOLDER, file), "utf8")) as WrittenCase[]).map((written) => toCase(file, written)));

/** Without `upstreams` and `models`, the result is the single model of `settings`. */
function toCase(file: string, { settings, ...written }: WrittenCase): Case {
  const isUsual = settings !== undefined;
  return {
    file,
    config: `${MODEL_LIST}${settings ?? ""}`,
    upstreams: isUsual ? [OPENAI] : [],
    models: isUsual ? [CHAT] : [],
    reports: {},
    without_effect: [],
    ...written,
  };
}
