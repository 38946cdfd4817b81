import type { NewServiceToken, ServiceToken } from "../../../platform-client/types.ts";
import { SCOPES } from "../../access/access.ts";
import { formatDay, formatTime } from "../format/format-values.ts";
import { listCommand } from "../list-command.ts";
import { list, moment, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";
import { stateOfToken } from "./people.ts";

export const createServiceToken = platformCommand<NewServiceToken>({
  summary: "Create an access token for a machine. The token is shown only once.",
  details: `The token belongs to a service identity, which the audit log names. Only the operator token can create one. Scopes: ${SCOPES.join(", ")}.`,
  examples: [
    "access-tokens create nightly-report --scopes usage:read --expires 90d",
    "access-tokens create ci --scopes models:read,models:write --expires 2027-01-31",
  ],
  operands: [{ name: "SERVICE", field: "service", meaning: "name of the service identity, such as ci" }],
  options: {
    scopes: required(list("scopes", "scopes, separated by commas"), "give its scopes: --scopes usage:read"),
    expires: required(
      moment("expires_at", "expiry, at most one year from now: 90d, or a date such as 2027-01-31"),
      "give its expiry: --expires 90d",
    ),
  },
  call: "POST /api/access-tokens",
  print: ({ token, service, expires_at: expiry }) =>
    token === null
      ? "The token has been shown already. Create another one, and revoke this one.\n"
      : `${token}\n\nThis access token of the service ${service} works until ${formatTime(expiry)} UTC, and is shown only once.\n`,
});

export const listServiceTokens = listCommand<ServiceToken>({
  summary: "List the access tokens of service identities, newest first.",
  examples: ["access-tokens list", "access-tokens list --service ci"],
  options: { service: text("service", "only tokens of this service identity", "NAME") },
  call: "GET /api/access-tokens",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfToken },
    { heading: "EXPIRES", cell: (token) => formatDay(token.expires_at) },
    { heading: "LAST USED", cell: (token) => (token.last_used_at === null ? "never" : formatDay(token.last_used_at)) },
    { heading: "SERVICE", cell: ({ service }) => service },
    { heading: "SCOPES", cell: ({ scopes }) => scopes.join(","), isLong: true },
  ],
});

export const revokeServiceToken = platformCommand<ServiceToken>({
  summary: "Revoke an access token of a service identity permanently, from the next request.",
  examples: ["access-tokens revoke 7gR2bVn5QwE8"],
  operands: [{ name: "ID", meaning: "token ID, as shown by access-tokens list" }],
  call: "DELETE /api/access-tokens/{id}",
  print: ({ id, service }) => `Revoked ${id} of the service ${service}.\n`,
});
