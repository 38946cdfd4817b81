import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import type { Command, Invocation } from "../../command.ts";
import { formatDetails } from "../../format-details.ts";
import { formatCount } from "../../format-values.ts";
import { asJson, printable, writeStdout, terminalWidth } from "../../output.ts";
import { callForCommand, platformCommand } from "../../platform-command.ts";
import { formatTable, type Column } from "../../table.ts";
import { forEachUpstream, UPSTREAM_OR_ALL } from "./upstreams.ts";

type ModelHealth = UpstreamHealth["models"][number];
type CredentialHealth = UpstreamHealth["credentials"][number];

/** One model of an upstream, or an upstream of which nothing was asked. */
export interface HealthRow {
  readonly upstream: string;
  readonly model?: ModelHealth;
  /** For how long its calls have no credential to go with. */
  readonly waitsForMs: number;
}

export const HEALTH_COLUMNS: readonly Column<HealthRow>[] = [
  { heading: "THEIR MODEL", cell: ({ model }) => model?.model ?? "-", isLong: true },
  { heading: "STATE", cell: stateOf },
  { heading: "CALLS", cell: ({ model }) => String(model?.in_flight ?? 0), align: "right" },
  { heading: "BEGINS IN", cell: ({ model }) => (model?.latency_ms == null ? "-" : formatMs(model.latency_ms)), align: "right" },
  {
    heading: "FAILED",
    cell: ({ model }) => (model === undefined || model.recent_calls === 0 ? "-" : `${model.recent_failures} of ${model.recent_calls}`),
    align: "right",
  },
];

export function rowsOf({ upstream, models, credentials }: UpstreamHealth): HealthRow[] {
  if (models.length === 0) return [{ upstream, waitsForMs: waitFor(undefined, credentials) }];
  return models.map((model) => ({ upstream, model, waitsForMs: waitFor(model.model, credentials) }));
}

/** The shortest cooldown among the credentials: a rate limit is one model's, a refusal is for every model. */
function waitFor(model: string | undefined, credentials: readonly CredentialHealth[]): number {
  if (credentials.length === 0) return 0;
  return Math.min(
    ...credentials.map(({ reason, cooling_for_ms: ms, models }) => {
      const limitedForMs = models.find((each) => each.model === model)?.cooling_for_ms ?? 0;
      return reason === "credential" ? Math.max(ms, limitedForMs) : limitedForMs;
    }),
  );
}

const NOTHING_KNOWN = "None of its models was asked for since the start, or since its settings were changed.\n";

export function describeHealth(health: UpstreamHealth, width?: number): string {
  const { upstream, in_flight: inFlight, queued, models, credentials } = health;
  const under = `${formatCount(inFlight, "call")} under way, ${queued === 0 ? "none" : queued.toLocaleString("en-US")} waiting`;
  const rows = [
    ["Upstream", upstream],
    ["Now", under],
    ...credentials.map((each, at) => [at === 0 ? "Credential" : "", describeCredential(each)]),
  ];
  const table = models.length === 0 ? NOTHING_KNOWN : formatTable(HEALTH_COLUMNS, rowsOf(health), width);
  return `${formatDetails(rows)}\n${table}`;
}

function stateOf({ model, waitsForMs }: HealthRow): string {
  if (model?.state === "out") return model.due_in_ms === 0 ? "being probed" : `out for ${formatSeconds(model.due_in_ms)}`;
  if (waitsForMs > 0) return `waits for a credential, ${formatSeconds(waitsForMs)}`;
  if (model === undefined) return "not asked yet";
  return model.state === "in" ? "in use" : "due for a probe";
}

function describeCredential({ last4, cooling_for_ms: ms, reason, models }: CredentialHealth): string {
  const name = last4 === null ? "one" : `…${last4}`;
  if (reason === null) return `${name} is in use`;
  if (reason === "credential") return `${name} has a cooldown of ${formatSeconds(ms)}: it was refused`;
  return `${name} has reached a rate limit: ${models.map((each) => `${each.model} for ${formatSeconds(each.cooling_for_ms)}`).join(", ")}`;
}

function formatSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000).toLocaleString("en-US")} s`;
}

function formatMs(ms: number): string {
  return `${ms.toLocaleString("en-US")} ms`;
}

const ofOne = platformCommand<UpstreamHealth>({
  summary: "Shows how an upstream fares, or all of them: what is under way, what is left out for now, and which credentials.",
  details: "It calls nobody: it tells what is known from the calls since the gateway's start. To call the upstream, use upstreams test.",
  examples: ["upstreams health", "upstreams health our-openai"],
  operands: [UPSTREAM_OR_ALL],
  call: "GET /api/upstreams/{id}/health",
  print: (health) => describeHealth(health, terminalWidth()),
});

export const showHealth: Command = {
  ...ofOne,
  run: (invocation) => (invocation.operands.length === 0 ? showAll(invocation) : ofOne.run(invocation)),
};

async function showAll({ json }: Invocation): Promise<void> {
  const data = await forEachUpstream(async (id) => (await callForCommand(ofOne, { operands: [id] }, {})).answer as UpstreamHealth);
  if (json) return writeStdout(asJson({ data, next: null }));
  const upstream: Column<HealthRow> = { heading: "UPSTREAM", cell: (row) => row.upstream, isLong: true };
  await writeStdout(printable(formatTable([upstream, ...HEALTH_COLUMNS], data.flatMap(rowsOf), terminalWidth())));
}
