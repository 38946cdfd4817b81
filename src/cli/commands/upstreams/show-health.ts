import type { Command, Invocation } from "../../command.ts";
import { asJson, printable, put, terminalWidth } from "../../output.ts";
import { callInItsWords, platformCommand } from "../../platform-command.ts";
import { formatTable, type Column } from "../../table.ts";
import type { HealthView } from "./upstream-views.ts";
import { ofEveryUpstream } from "./every-upstream.ts";
import { describeHealth, HEALTH_COLUMNS, rowsOf, type HealthRow } from "./health-words.ts";
import { UPSTREAM_OR_ALL } from "./upstream-operand.ts";

const ofOne = platformCommand<HealthView>({
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
  const data = await ofEveryUpstream(async (id) => (await callInItsWords(ofOne, { operands: [id] }, {})).answer as HealthView);
  if (json) return put(asJson({ data, next: null }));
  const upstream: Column<HealthRow> = { heading: "UPSTREAM", cell: (row) => row.upstream, isLong: true };
  await put(printable(formatTable([upstream, ...HEALTH_COLUMNS], data.flatMap(rowsOf), terminalWidth())));
}
