import type { OptionalEndpoint, OptionalEndpointList } from "../../../platform-client/types.ts";
import type { Operand } from "../command.ts";
import { formatTable, type Column } from "../format/table.ts";
import { terminalWidth } from "../output.ts";
import { platformCommand } from "../platform-command.ts";

const ENDPOINT: Operand = { name: "ENDPOINT", meaning: "messages or responses" };

const COLUMNS: readonly Column<OptionalEndpoint>[] = [
  { heading: "ENDPOINT", cell: ({ id }) => id },
  { heading: "PATH", cell: ({ path }) => path },
  { heading: "STATE", cell: ({ enabled }) => (enabled ? "on" : "off") },
  { heading: "MANAGED BY", cell: ({ managed_by: origin }) => origin },
];

export const listEndpoints = platformCommand<OptionalEndpointList>({
  summary: "List the endpoints of the gateway that can be turned on and off.",
  examples: ["endpoints list"],
  call: "GET /api/endpoints",
  print: ({ data }) => formatTable(COLUMNS, data, terminalWidth()),
});

export const enableEndpoint = platformCommand<OptionalEndpoint>({
  summary: "Turn on an endpoint of the gateway, for clients of the Messages API or the Responses API.",
  details: "It takes effect in all processes without a restart.",
  examples: ["endpoints enable messages", "endpoints enable responses"],
  operands: [ENDPOINT],
  sets: { enabled: true },
  call: "PATCH /api/endpoints/{id}",
  print: ({ id, path }) => `Turned on ${id}: the gateway serves ${path}.\n`,
});

export const disableEndpoint = platformCommand<OptionalEndpoint>({
  summary: "Turn off an endpoint of the gateway. Requests in flight finish, and new ones are a 404.",
  examples: ["endpoints disable responses"],
  operands: [ENDPOINT],
  sets: { enabled: false },
  call: "PATCH /api/endpoints/{id}",
  print: ({ id }) => `Turned off ${id}.\n`,
});
