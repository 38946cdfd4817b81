import { isObject } from "../../../lib/schema/schema.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { truncate } from "../../../lib/text/truncate.ts";
import { jsonIn, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, type IdentityFailureReason } from "../credential-source.ts";

const MAX_MESSAGE_CHARS = 500;

const OUTSIDE_ITS_TIME = 700024;

const UNREGISTERED: Cause = ["rejected", "Add a federated credential with this issuer, subject and audience to the application."];
const NO_TENANT: Cause = ["rejected", "Check tenant_id, and cloud: a tenant exists in one cloud only."];

type Cause = readonly [reason: IdentityFailureReason, advice: string];

/** The error codes with a cure of their own: https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const CAUSES: ReadonlyMap<number, Cause> = new Map<number, Cause>([
  [7000215, ["rejected", "The client secret is wrong: use its value, not its ID."]],
  [7000222, ["expired", "The client secret has expired: create a new one under Certificates & secrets of the application."]],
  [700016, ["rejected", "There is no such application in this tenant: check client_id and tenant_id."]],
  [7000112, ["permission", "The application is disabled: enable its enterprise application."]],
  [90002, NO_TENANT],
  [900023, NO_TENANT],
  [
    700027,
    ["rejected", "The certificate is not registered, or its time is over: upload it under Certificates & secrets of the application."],
  ],
  [
    OUTSIDE_ITS_TIME,
    [
      "clock_skew",
      "Set the clock of this machine. With workload identity, check that the file of AZURE_FEDERATED_TOKEN_FILE is replaced in time.",
    ],
  ],
  [70021, UNREGISTERED],
  [700211, UNREGISTERED],
  [700212, UNREGISTERED],
  [700213, UNREGISTERED],
  [53003, ["permission", "A Conditional Access policy blocks the application: exclude it, or allow the addresses of this machine."]],
  [500011, ["rejected", "The resource is not in this tenant: check cloud, and that the tenant has an Azure AI resource."]],
]);

/** Whether an assertion was rejected because of its time. */
export function isAboutTime(reply: CloudReply): boolean {
  return reply.status !== 200 && codesIn(reply).includes(OUTSIDE_ITS_TIME);
}

/** Why Entra ID refused an access token, and what to do about it. */
export function entraFailure(reply: CloudReply, sent: readonly string[]): IdentityFailure {
  const { status } = reply;
  const message = sent.reduce((text, secret) => new Secret(secret).redactFrom(text), descriptionIn(reply));
  const cause = codesIn(reply)
    .map((code) => CAUSES.get(code))
    .find((each) => each !== undefined);
  const [reason, advice] = cause ?? [status === 429 || status >= 500 ? "unreachable" : "rejected", undefined];
  const said = `Entra ID returned status ${status}: ${truncate(message, MAX_MESSAGE_CHARS)}`;
  return new IdentityFailure(reason, advice === undefined ? said : `${said} ${advice}`);
}

/** Without trace IDs, which are in the lines after the first. */
function descriptionIn(reply: CloudReply): string {
  const body = jsonIn(reply);
  const { error, error_description: description } = isObject(body) ? body : {};
  const said = typeof description === "string" ? description : error;
  const [line] = typeof said === "string" ? said.split(/\r?\n| Trace ID:/) : [];
  return (line || "no reason given").replace(/\.?\s*$/, ".");
}

function codesIn(reply: CloudReply): readonly number[] {
  const body = jsonIn(reply);
  const codes = isObject(body) ? body["error_codes"] : undefined;
  return Array.isArray(codes) ? codes.map(Number) : [];
}
