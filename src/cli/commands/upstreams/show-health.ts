import { terminalWidth } from "../../output.ts";
import { platformCommand } from "../../platform-command.ts";
import { formatColumns, formatTable, type Column } from "../../table.ts";
import type { HealthView } from "../../views.ts";
import { inCount } from "../../words.ts";
import { UPSTREAM } from "./upstream-operand.ts";

type ModelView = HealthView["models"][number];
type CredentialView = HealthView["credentials"][number];

export const showHealth = platformCommand<HealthView>({
  summary: "Shows how an upstream fares: what is under way there, what is left out for now, and which credentials.",
  details: "It calls nobody: it tells what is known from the calls since the gateway's start. To call the upstream, use upstreams test.",
  examples: ["upstreams health our-openai"],
  operands: [UPSTREAM],
  call: "GET /api/upstreams/{id}/health",
  print: describe,
});

const COLUMNS: readonly Column<ModelView>[] = [
  { heading: "MODEL", cell: ({ model }) => model, isLong: true },
  { heading: "STATE", cell: stateOf },
  { heading: "CALLS", cell: ({ in_flight: calls }) => String(calls), align: "right" },
  { heading: "BEGINS IN", cell: ({ latency_ms: ms }) => (ms === null ? "-" : inMs(ms)), align: "right" },
  {
    heading: "FAILED",
    cell: ({ recent_calls: calls, recent_failures: failures }) => (calls === 0 ? "-" : `${failures} of ${calls}`),
    align: "right",
  },
];

function describe({ upstream, in_flight: inFlight, queued, models, credentials }: HealthView): string {
  const under = `${inCount(inFlight, "call")} under way, ${queued === 0 ? "none" : queued.toLocaleString("en-US")} waiting`;
  const rows = [
    ["Upstream", upstream],
    ["Now", under],
    ...credentials.map((each, at) => [at === 0 ? "Credential" : "", describeCredential(each)]),
  ];
  const table = models.length === 0 ? "None of its models was asked for since the start.\n" : formatTable(COLUMNS, models, terminalWidth());
  return `${formatColumns(rows)}\n${table}`;
}

function stateOf({ state, due_in_ms: dueInMs }: ModelView): string {
  if (state === "in") return "in use";
  if (state === "due") return "due for a probe";
  return dueInMs === 0 ? "being probed" : `out for ${inSeconds(dueInMs)}`;
}

const REASONS = { busy: "it has had its share", credential: "it was refused" } as const;

function describeCredential({ last4, cooling_for_ms: ms, reason }: CredentialView): string {
  const name = last4 === null ? "one" : `…${last4}`;
  return reason === null ? `${name} is in use` : `${name} is left alone for ${inSeconds(ms)}: ${REASONS[reason]}`;
}

function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 1000).toLocaleString("en-US")} s`;
}

function inMs(ms: number): string {
  return `${ms.toLocaleString("en-US")} ms`;
}
