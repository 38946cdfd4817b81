import { UPSTREAM_TIMEOUTS } from "../../timeout-options.ts";
import type { ConnectionTest, Upstream } from "../../../../platform-client/types.ts";
import { PRESET_IDS } from "../../../models/presets.ts";
import { DIALECTS } from "../../../models/upstream-settings.ts";
import type { Operand, StandardInput } from "../../command.ts";
import { formatCount } from "../../format/format-values.ts";
import { listCommand, readAll } from "../../list-command.ts";
import { choice, clearable, count, text, yesOrNo } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { UNKNOWN_PARAMETERS } from "../models/options.ts";
import { describeCredentials, describeUpstream } from "./format-upstream.ts";
import { describeIdentity } from "./format-identity.ts";
import { HEADER, IDENTITY_OPTIONS } from "./identity-options.ts";
import { TOLLGATE } from "../../../lib/this-program.ts";

const UPSTREAM: Operand = { name: "UPSTREAM", meaning: "upstream ID, as shown by upstreams list" };

export const UPSTREAM_OR_ALL: Operand = { ...UPSTREAM, meaning: `${UPSTREAM.meaning} (default: all upstreams)`, isOptional: true };

/** The fields of an upstream that can be set and updated. */
const UPSTREAM_OPTIONS = {
  preset: { ...choice("preset", PRESET_IDS, "provider or server, from docs/providers.md"), value: "PRESET" },
  "base-url": text("base_url", "base URL, up to /chat/completions, /messages or /models (default: the preset's)", "URL"),
  "api-version": clearable(
    text("api_version", "version of the API of Azure, such as 2024-10-21 or preview, or none (default: the preset's)", "VERSION"),
  ),
  "allow-private": yesOrNo(
    "allow_private",
    "allow a base URL on this machine or a private network (default: yes for presets of local servers)",
  ),
  "credential-stdin": { meaning: "read the credential from stdin; several credentials on one line each" },
  ...IDENTITY_OPTIONS,
  ...UPSTREAM_TIMEOUTS,
  "max-calls": count("concurrency.max_calls", "maximum concurrent calls"),
  "max-queued": count("concurrency.max_queued", "maximum queued calls"),
  "max-wait-ms": count("concurrency.max_wait_ms", "maximum time in the queue, in milliseconds"),
  "unknown-parameters": clearable(UNKNOWN_PARAMETERS),
  header: HEADER,
  organization: clearable(text("organization", "OpenAI organization of requests, or none", "ID")),
  project: clearable(text("project", "OpenAI project of requests, or none", "ID")),
};

/** Credentials are stored encrypted and never shown again. */
const CREDENTIAL: StandardInput = { field: "credential", fieldOfSeveral: "credentials", what: "the credential" };

export const listUpstreams = listCommand<Upstream>({
  summary: "List upstreams with their base URLs and models.",
  examples: ["upstreams list", "upstreams list --search openai"],
  options: { search: text("search", "only upstreams whose ID or base URL contains this text") },
  call: "GET /api/upstreams",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "PRESET", cell: ({ preset }) => preset ?? "" },
    { heading: "API FORMAT", cell: ({ dialect }) => dialect },
    { heading: "BASE URL", cell: (upstream) => upstream.base_url ?? "built in", isLong: true },
    { heading: "CREDENTIAL", cell: describeCredentials },
    { heading: "MANAGED BY", cell: (upstream) => upstream.managed_by },
    { heading: "MODELS", cell: ({ models }) => models.toSorted().join(", "), isLong: true },
  ],
});

/** Calls a function with the ID of each upstream, one after the other. */
export async function forEachUpstream<Result>(call: (id: string) => Promise<Result>): Promise<Result[]> {
  const { data } = await readAll<Upstream>(listUpstreams, { operands: [] });
  const results: Result[] = [];
  for (const { id } of data) results.push(await call(id));
  return results;
}

export const showUpstream = platformCommand<Upstream>({
  summary: "Show an upstream: base URL, timeouts, concurrency and models.",
  examples: ["upstreams show our-openai"],
  operands: [UPSTREAM],
  call: "GET /api/upstreams/{id}",
  print: describeUpstream,
});

export const createUpstream = platformCommand<Upstream>({
  summary: "Create an upstream.",
  details: `A preset sets the API format, and most presets set the base URL. The credential is read from stdin, stored encrypted, and never shown
again. At AWS, Google Cloud and Azure, an identity can replace the credential; the machine's identity is set in tollgate.yaml. Test the upstream with upstreams test,
then add models with models create.`,
  examples: [
    `printenv GROQ_API_KEY | ${TOLLGATE} upstreams create our-groq --preset groq --credential-stdin`,
    "upstreams create azure --preset azure --base-url https://acme.openai.azure.com/openai/v1 --credential-stdin < two-keys.txt",
    "upstreams create gpu-box --dialect openai --base-url http://192.168.1.20:8000/v1 --allow-private yes",
    "upstreams create bedrock --preset bedrock-converse --aws-region us-east-1 --aws-access-key-id AKIAIOSFODNN7EXAMPLE --aws-secret-access-key-file secret.txt",
  ],
  operands: [{ name: "UPSTREAM", field: "id", meaning: "upstream ID, which routes refer to" }],
  options: {
    dialect: choice("dialect", DIALECTS, "API format (default: the preset's)"),
    ...UPSTREAM_OPTIONS,
  },
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "POST /api/upstreams",
  print: describeUpstream,
});

export const updateUpstream = platformCommand<Upstream>({
  summary: "Update an upstream.",
  details: `The change applies from the next request. Fields that are not given stay unchanged: a new preset does not change the base URL. A new base
URL needs the credential or the identity again, because it is only used at the base URL that it was set for. An identity is replaced as a whole.`,
  examples: [
    "upstreams update gpu-box --total-ms 300000 --max-calls 16",
    `printenv OPENAI_API_KEY | ${TOLLGATE} upstreams update our-openai --base-url https://eu.api.openai.com/v1 --credential-stdin`,
  ],
  operands: [UPSTREAM],
  options: UPSTREAM_OPTIONS,
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "PATCH /api/upstreams/{id}",
  print: describeUpstream,
});

export const setCredential = platformCommand<Upstream>({
  summary: "Set an upstream's credentials, from the next request.",
  details: `Credentials are stored encrypted and never shown again. Several credentials, on one line each, replace all existing ones. In-flight calls
keep their credential.`,
  examples: [
    `printenv OPENAI_API_KEY | ${TOLLGATE} upstreams credential set our-openai`,
    "upstreams credential set our-openai < secret.txt",
  ],
  operands: [UPSTREAM],
  stdin: CREDENTIAL,
  call: "PUT /api/upstreams/{id}/credential",
  print: (upstream) => `Set the credential of ${upstream.id}: ${describeCredentials(upstream)}.\n`,
});

export const addCredential = platformCommand<Upstream>({
  summary: "Add a credential to an upstream, from the next request.",
  details: "To rotate one of several credentials, add the new one, then remove the old one by its last four characters.",
  examples: [`printenv NEW_KEY | ${TOLLGATE} upstreams credential add our-openai`],
  operands: [UPSTREAM],
  stdin: { field: "credential", what: "the credential" },
  call: "POST /api/upstreams/{id}/credential",
  print: (upstream) => `Added the credential. ${upstream.id} has: ${describeCredentials(upstream)}.\n`,
});

export const removeCredential = platformCommand<Upstream>({
  summary: "Remove one or all credentials of an upstream, or its identity, from the next request.",
  examples: ["upstreams credential remove gpu-box", "upstreams credential remove our-openai --last4 a1b2"],
  operands: [UPSTREAM],
  options: { last4: { ...text("last4", "only the credential with these last four characters", "TEXT"), isInQuery: true } },
  call: "DELETE /api/upstreams/{id}/credential",
  print: (upstream) => `Removed. Credentials of ${upstream.id}: ${describeCredentials(upstream)}.\n`,
});

const CONNECTION_TEST = {
  print(test: ConnectionTest): string {
    const { identity, problem } = test;
    // The verdict has the same reason.
    const isRepeated = identity?.failure != null && problem?.includes(identity.failure) === true;
    const described = identity && describeIdentity(isRepeated ? { ...identity, failure: null } : identity).replace(/\.$/, "");
    return `${described ? `Identity: ${described}.\n` : ""}${printOutcome(test)}`;
  },
  verdict: ({ ok, problem }: ConnectionTest): string | undefined =>
    ok ? undefined : `the upstream is not usable: ${adviceIn(problem ?? "it gave no reason")}`,
};

function printOutcome({ ok, checked, status, duration_ms: ms, models }: ConnectionTest): string {
  if (!ok) return status === null ? `No response after ${ms} ms.\n` : `Status ${status} in ${ms} ms.\n`;
  return `OK: ${models === null ? `checked ${checked}` : `the upstream lists ${formatCount(models, "model")}`}, in ${ms} ms.\n`;
}

export const testUpstream = platformCommand<ConnectionTest>({
  summary: "Test an upstream's base URL and credential. It costs nothing.",
  details:
    "It obtains the credentials of an identity, if the upstream has one, and requests the upstream's list of models. At Vertex AI, which has none, it has a model of the upstream count tokens. Exit code 1 if that fails; an identity that may only call models, and not list them, passes.",
  examples: ["upstreams test our-openai"],
  operands: [UPSTREAM],
  call: "POST /api/upstreams/{id}/test",
  ...CONNECTION_TEST,
});

export const testCredential = platformCommand<ConnectionTest>({
  summary: "Test a credential at an upstream without storing it. It costs nothing.",
  details: "It requests the upstream's list of models with the credential. Exit code 1 if that fails.",
  examples: ["upstreams credential test our-openai < secret.txt"],
  operands: [UPSTREAM],
  stdin: { field: "credential", what: "the credential" },
  call: "POST /api/upstreams/{id}/credential/test",
  ...CONNECTION_TEST,
});

/** Names the command that has the option. */
function adviceIn(problem: string): string {
  return problem.replace("allow_private: true", "upstreams update --allow-private yes");
}

export const removeUpstream = platformCommand<Upstream>({
  summary: "Remove an upstream that serves no model, with its credentials.",
  examples: ["upstreams remove gpu-box"],
  operands: [UPSTREAM],
  call: "DELETE /api/upstreams/{id}",
  print: ({ id }) => `Removed ${id}.\n`,
});
