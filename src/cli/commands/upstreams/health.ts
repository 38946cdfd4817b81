import type { UpstreamHealth } from "../../../../platform-client/types.ts";
import type { Command, Invocation } from "../../command.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatCount, formatNumber } from "../../format/format-values.ts";
import { asJson, printable, writeStdout, terminalWidth } from "../../output.ts";
import { callForCommand, platformCommand } from "../../platform-command.ts";
import { formatTable, type Column } from "../../format/table.ts";
import { describeIdentity, identityState, NO_CREDENTIALS } from "./format-identity.ts";
import { forEachUpstream, UPSTREAM_OR_ALL } from "./upstreams.ts";

type ModelHealth = UpstreamHealth["models"][number];
type CredentialHealth = UpstreamHealth["credentials"][number];

/** One model of an upstream, or an upstream that was not called. */
interface HealthRow {
  readonly upstream: string;
  readonly model?: ModelHealth;
  /** The time until a credential is available. */
  readonly waitsForMs: number;
  readonly identity: UpstreamHealth["identity"];
}

export const HEALTH_COLUMNS: readonly Column<HealthRow>[] = [
  { heading: "UPSTREAM MODEL", cell: ({ model }) => model?.model ?? "-", isLong: true },
  { heading: "STATE", cell: stateOf },
  { heading: "IN FLIGHT", cell: ({ model }) => String(model?.in_flight ?? 0), align: "right" },
  { heading: "FIRST BYTE", cell: ({ model }) => (model?.latency_ms == null ? "-" : formatMs(model.latency_ms)), align: "right" },
  {
    heading: "FAILED",
    cell: ({ model }) => (model === undefined || model.recent_calls === 0 ? "-" : `${model.recent_failures} of ${model.recent_calls}`),
    align: "right",
  },
];

export function rowsOf({ upstream, models, credentials, identity }: UpstreamHealth): HealthRow[] {
  if (models.length === 0) return [{ upstream, identity, waitsForMs: waitFor(undefined, credentials) }];
  return models.map((model) => ({ upstream, model, identity, waitsForMs: waitFor(model.model, credentials) }));
}

/** The shortest cooldown among the credentials. After a rate limit it applies to one model, after a rejected credential to every model. */
function waitFor(model: string | undefined, credentials: readonly CredentialHealth[]): number {
  if (credentials.length === 0) return 0;
  return Math.min(
    ...credentials.map(({ reason, cooldown_ms: ms, models }) => {
      const limitedForMs = models.find((each) => each.model === model)?.cooldown_ms ?? 0;
      return reason === "credential" ? Math.max(ms, limitedForMs) : limitedForMs;
    }),
  );
}

const NOTHING_KNOWN = "No calls since startup, or since its settings changed.\n";

export function describeHealth(health: UpstreamHealth, width?: number): string {
  const { upstream, in_flight: inFlight, queued, models, credentials, identity } = health;
  const calls = `${formatCount(inFlight, "call")}, ${formatNumber(queued)} queued`;
  const rows = [
    ["Upstream", upstream],
    ["In flight", calls],
    ...credentials.map((each, at) => [at === 0 ? "Credential" : "", describeCredential(each)]),
    ...(identity ? [["Identity", describeIdentity(identity)]] : []),
  ];
  const table = models.length === 0 ? NOTHING_KNOWN : formatTable(HEALTH_COLUMNS, rowsOf(health), width);
  return `${formatDetails(rows)}\n${table}`;
}

function stateOf({ model, waitsForMs, identity }: HealthRow): string {
  if (identityState(identity) === NO_CREDENTIALS) return NO_CREDENTIALS;
  if (model?.state === "ejected") return model.probe_in_ms === 0 ? "probing" : `ejected, probe in ${formatSeconds(model.probe_in_ms)}`;
  if (waitsForMs > 0) return `no credential for ${formatSeconds(waitsForMs)}`;
  if (model === undefined) return "no calls yet";
  return model.state === "healthy" ? "healthy" : "probe due";
}

function describeCredential({ last4, cooldown_ms: ms, reason, models }: CredentialHealth): string {
  const name = last4 === null ? "set" : `…${last4}`;
  if (reason === null) return `${name}: healthy`;
  if (reason === "credential") return `${name}: rejected by the upstream, cooldown remaining ${formatSeconds(ms)}`;
  return `${name}: rate-limited, cooldown remaining ${models.map((each) => `${formatSeconds(each.cooldown_ms)} for ${each.model}`).join(", ")}`;
}

function formatSeconds(ms: number): string {
  return `${formatNumber(Math.ceil(ms / 1000))} s`;
}

function formatMs(ms: number): string {
  return `${formatNumber(ms)} ms`;
}

const ofOne = platformCommand<UpstreamHealth>({
  summary: "Show the health of an upstream, or of all: in-flight calls, ejected models and credential cooldowns.",
  details: "The data comes from the calls since the gateway's startup; the upstream is not called. To call it, use upstreams test.",
  examples: ["upstreams health", "upstreams health our-openai"],
  operands: [UPSTREAM_OR_ALL],
  call: "GET /api/upstreams/{id}/health",
  print: (health) => describeHealth(health, terminalWidth()),
});

export const showHealth: Command = {
  ...ofOne,
  run: (invocation) => (invocation.operands.length === 0 ? showAll(invocation) : ofOne.run(invocation)),
};

const IDENTITY: Column<HealthRow> = { heading: "IDENTITY", cell: (row) => identityState(row.identity) };

async function showAll({ json }: Invocation): Promise<void> {
  const data = await forEachUpstream(async (id) => (await callForCommand(ofOne, { operands: [id] }, {})).body as UpstreamHealth);
  if (json) return writeStdout(asJson({ data, next: null }));
  const upstream: Column<HealthRow> = { heading: "UPSTREAM", cell: (row) => row.upstream, isLong: true };
  // Most installations have no identity, and the table has no width to spare.
  const identity: Column<HealthRow>[] = data.some((each) => each.identity) ? [IDENTITY] : [];
  await writeStdout(printable(formatTable([upstream, ...HEALTH_COLUMNS, ...identity], data.flatMap(rowsOf), terminalWidth())));
}
