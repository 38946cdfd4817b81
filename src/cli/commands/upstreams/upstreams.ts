import type { ConnectionTest, Upstream } from "../../../../platform-client/types.ts";
import { PRESET_IDS } from "../../../models/presets.ts";
import { DIALECTS } from "../../../models/upstream-settings.ts";
import type { Operand, StandardInput } from "../../command.ts";
import { formatCount } from "../../format-values.ts";
import { listCommand, readAll } from "../../list-command.ts";
import { choice, count, text, yesOrNo } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { UNKNOWN_PARAMETERS } from "../models/options.ts";
import { describeCredentials, describeUpstream } from "./format-upstream.ts";

export const UPSTREAM: Operand = { name: "UPSTREAM", meaning: "the upstream's id, as upstreams list shows it" };

export const UPSTREAM_OR_ALL: Operand = { ...UPSTREAM, meaning: `${UPSTREAM.meaning}; all of them, if not given`, isOptional: true };

/** What an upstream is made with and can be changed to. */
export const UPSTREAM_OPTIONS = {
  preset: { ...choice("preset", PRESET_IDS, "the server it is, of those in docs/providers.md"), value: "PRESET" },
  "base-url": text("base_url", "its address, up to /chat/completions, /messages or /models; that of the preset, if not given", "URL"),
  "allow-private": yesOrNo(
    "allow_private",
    "whether it may be on this machine or a private network; if not given, a new one may where its preset is of a server that runs beside us",
  ),
  "credential-stdin": { meaning: "read our secret there from the standard input, or several, each on a line" },
  "connect-ms": count("timeouts.connect_ms", "how long to wait for a connection, in milliseconds"),
  "first-byte-ms": count("timeouts.first_byte_ms", "how long to wait for the first byte of a stream"),
  "between-chunks-ms": count("timeouts.between_chunks_ms", "how long to wait between two pieces of a stream"),
  "total-ms": count("timeouts.total_ms", "how long to wait for the whole call"),
  "max-calls": count("concurrency.max_calls", "how many calls it gets at once"),
  "max-queued": count("concurrency.max_queued", "how many more wait for one of those to end"),
  "max-wait-ms": count("concurrency.max_wait_ms", "how long each of them waits at most"),
  "unknown-parameters": UNKNOWN_PARAMETERS,
};

/** A credential is sealed when it is kept, and never shown again. */
export const CREDENTIAL: StandardInput = { field: "credential", fieldOfSeveral: "credentials", what: "the credential" };

export const listUpstreams = listCommand<Upstream>({
  summary: "Lists the upstreams: where calls go, and which models each serves.",
  examples: ["upstreams list", "upstreams list --search openai"],
  options: { search: text("search", "those whose id or address has this in it") },
  call: "GET /api/upstreams",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "PRESET", cell: ({ preset }) => preset ?? "" },
    { heading: "DIALECT", cell: ({ dialect }) => dialect },
    { heading: "ADDRESS", cell: (upstream) => upstream.base_url ?? "built in", isLong: true },
    { heading: "CREDENTIAL", cell: describeCredentials },
    { heading: "MANAGED BY", cell: (upstream) => upstream.managed_by },
    { heading: "MODELS", cell: ({ models }) => models.toSorted().join(", "), isLong: true },
  ],
});

/** Asks for something of each upstream, one after the other, by its id. */
export async function forEachUpstream<Answer>(ask: (id: string) => Promise<Answer>): Promise<Answer[]> {
  const { data } = await readAll<Upstream>(listUpstreams, { operands: [] });
  const answers: Answer[] = [];
  for (const { id } of data) answers.push(await ask(id));
  return answers;
}

export const showUpstream = platformCommand<Upstream>({
  summary: "Shows an upstream: its address, how long it is waited for, and what it serves. Its credential is never shown.",
  examples: ["upstreams show our-openai"],
  operands: [UPSTREAM],
  call: "GET /api/upstreams/{id}",
  print: describeUpstream,
});

export const createUpstream = platformCommand<Upstream>({
  summary: "Makes an upstream: where calls can be sent.",
  details: `A preset knows its dialect, and most know its address. A credential comes by the standard input, is kept sealed, and is never
shown again. Then see whether it works with upstreams test, and make models that it serves with models create.`,
  examples: [
    "printenv GROQ_API_KEY | npx tollgate upstreams create our-groq --preset groq --credential-stdin",
    "upstreams create azure --preset azure --base-url https://acme.openai.azure.com/openai/v1 --credential-stdin < two-keys.txt",
    "upstreams create gpu-box --dialect openai --base-url http://192.168.1.20:8000/v1 --allow-private yes",
  ],
  operands: [{ name: "UPSTREAM", field: "id", meaning: "its id, which routes and the log name" }],
  options: {
    dialect: choice("dialect", DIALECTS, "its wire format; that of the preset, if not given"),
    ...UPSTREAM_OPTIONS,
  },
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "POST /api/upstreams",
  print: describeUpstream,
});

export const updateUpstream = platformCommand<Upstream>({
  summary: "Changes what is given of an upstream, from the next request on.",
  details: `What is not given stays as it is. Its address stays with another preset, too. With another address the credential is needed again: it is not sent to where it was not
given for.`,
  examples: [
    "upstreams update gpu-box --total-ms 300000 --max-calls 16",
    "printenv OPENAI_API_KEY | npx tollgate upstreams update our-openai --base-url https://eu.api.openai.com/v1 --credential-stdin",
  ],
  operands: [UPSTREAM],
  options: UPSTREAM_OPTIONS,
  stdin: { ...CREDENTIAL, onlyWith: "credential-stdin" },
  call: "PATCH /api/upstreams/{id}",
  print: describeUpstream,
});

export const setCredential = platformCommand<Upstream>({
  summary: "Gives an upstream another credential, or several, from the next request on.",
  details: `They are kept sealed, and never shown again. Several come each on a line, and take the place of all that there are. Calls
under way keep the one that they were made with.`,
  examples: [
    "printenv OPENAI_API_KEY | npx tollgate upstreams credential set our-openai",
    "upstreams credential set our-openai < secret.txt",
  ],
  operands: [UPSTREAM],
  stdin: CREDENTIAL,
  call: "PUT /api/upstreams/{id}/credential",
  print: (upstream) => `The credential of ${upstream.id} is ${describeCredentials(upstream)} from now on.\n`,
});

export const removeCredential = platformCommand<Upstream>({
  summary: "Takes an upstream's credentials away, from the next request on.",
  examples: ["upstreams credential remove gpu-box"],
  operands: [UPSTREAM],
  call: "DELETE /api/upstreams/{id}/credential",
  print: ({ id }) => `${id} has no credential from now on.\n`,
});

const told = {
  print({ ok, status, duration_ms: ms, models }: ConnectionTest): string {
    if (!ok) return status === null ? `There was no answer, after ${ms} ms.\n` : `It answered with status ${status} in ${ms} ms.\n`;
    return `It works: ${models === null ? "it answered" : `it lists ${formatCount(models, "model")}`}, in ${ms} ms.\n`;
  },
  verdict: ({ ok, problem }: ConnectionTest): string | undefined =>
    ok ? undefined : `the upstream cannot be used: ${adviceIn(problem ?? "it did not say why")}`,
};

export const testUpstream = platformCommand<ConnectionTest>({
  summary: "Calls an upstream to see whether its address and credential are right. It costs nothing.",
  details: "It asks for the upstream's list of models. It fails, with exit code 1, where that does not work.",
  examples: ["upstreams test our-openai"],
  operands: [UPSTREAM],
  call: "POST /api/upstreams/{id}/test",
  ...told,
});

export const testCredential = platformCommand<ConnectionTest>({
  summary: "Attempts a credential at an upstream before it is set. It costs nothing.",
  details: "It asks for the upstream's list of models with it, and keeps nothing. It fails, with exit code 1, where that does not work.",
  examples: ["upstreams credential test our-openai < secret.txt"],
  operands: [UPSTREAM],
  stdin: { field: "credential", what: "the credential" },
  call: "POST /api/upstreams/{id}/credential/test",
  ...told,
});

/** Here is no such option; another command has it. */
function adviceIn(problem: string): string {
  return problem.replace("allow_private: true", "upstreams update --allow-private yes");
}

export const removeUpstream = platformCommand<Upstream>({
  summary: "Removes an upstream that serves no model, with its credential.",
  examples: ["upstreams remove gpu-box"],
  operands: [UPSTREAM],
  call: "DELETE /api/upstreams/{id}",
  print: ({ id }) => `Removed ${id}.\n`,
});
