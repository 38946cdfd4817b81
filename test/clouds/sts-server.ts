import { isRefusal, type AwsCloud, type IssuedKeys } from "./aws-cloud.ts";
import { serveAws, type AwsServer } from "./aws-server.ts";

/** A role, and who may assume it. */
export interface Role {
  readonly arn: string;
  readonly externalId?: string;
  /** The owners of keys that may assume the role; undefined: every owner. */
  readonly trusts?: readonly string[];
  /** The web identity that may assume the role. */
  readonly webIdentity?: () => string;
}

interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const SHARED = ["Action", "Version", "RoleArn", "RoleSessionName", "DurationSeconds"];
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  AssumeRole: [...SHARED, "ExternalId"],
  AssumeRoleWithWebIdentity: [...SHARED, "WebIdentityToken"],
};

/** The Security Token Service: AssumeRole and AssumeRoleWithWebIdentity, API version 2011-06-15. */
export function startSts(
  cloud: AwsCloud,
  region: string,
  roles: readonly Role[],
): AwsServer & { readonly sessionNames: readonly string[] } {
  const sessionNames: string[] = [];

  async function assume(request: Request, path: string, body: Uint8Array, form: URLSearchParams): Promise<IssuedKeys | Failure> {
    const invalid = violationIn(request, path, form);
    if (invalid !== undefined) return { status: 400, code: "ValidationError", message: invalid };
    sessionNames.push(form.get("RoleSessionName")!);
    const role = roles.find(({ arn }) => arn === form.get("RoleArn"));
    return form.get("Action") === "AssumeRole" ? bySignature(request, body, form, role) : byWebIdentity(request, form, role);
  }

  async function bySignature(
    request: Request,
    body: Uint8Array,
    form: URLSearchParams,
    role: Role | undefined,
  ): Promise<IssuedKeys | Failure> {
    const caller = await cloud.verify(request, body, "sts", region);
    if (isRefusal(caller)) return { status: 403, ...caller };
    const isTrusted = role && role.webIdentity === undefined && (role.trusts?.includes(caller.owner) ?? true);
    const isAllowed = isTrusted && (role.externalId === undefined || role.externalId === form.get("ExternalId"));
    if (isAllowed) return cloud.issue(`${role.arn} by ${caller.owner}`);
    const who = `User: arn:aws:iam::123456789012:user/${caller.accessKeyId}`;
    return {
      status: 403,
      code: "AccessDenied",
      message: `${who} is not authorized to perform: sts:AssumeRole on resource: ${form.get("RoleArn")}`,
    };
  }

  function byWebIdentity(request: Request, form: URLSearchParams, role: Role | undefined): IssuedKeys | Failure {
    if (request.headers.has("authorization")) return { status: 400, code: "ValidationError", message: "signed" };
    if (!role?.webIdentity)
      return { status: 403, code: "AccessDenied", message: "Not authorized to perform sts:AssumeRoleWithWebIdentity" };
    if (form.get("WebIdentityToken") !== role.webIdentity()) {
      return { status: 400, code: "ExpiredTokenException", message: `Token expired: ${form.get("WebIdentityToken")}` };
    }
    return cloud.issue(`${role.arn} by web identity`);
  }

  const server = serveAws(cloud, async (request, path) => {
    const body = new Uint8Array(await request.arrayBuffer());
    const form = new URLSearchParams(new TextDecoder().decode(body));
    const outcome = await assume(request, path, body, form);
    const headers = { "content-type": "text/xml" };
    return "status" in outcome
      ? new Response(errorXml(outcome), { status: outcome.status, headers })
      : new Response(credentialsXml(form.get("Action")!, outcome), { headers });
  });
  return Object.assign(server, { sessionNames });
}

function violationIn(request: Request, path: string, form: URLSearchParams): string | undefined {
  if (request.method !== "POST" || path !== "/") return `${request.method} ${path}`;
  if (!(request.headers.get("content-type") ?? "").startsWith("application/x-www-form-urlencoded")) return "content-type";
  const allowed = PARAMETERS[form.get("Action") ?? ""];
  if (!allowed || form.get("Version") !== "2011-06-15") return "Action or Version";
  const unknown = [...form.keys()].find((name) => !allowed.includes(name));
  if (unknown !== undefined) return unknown;
  if (!/^arn:aws[\w-]*:iam::\d{12}:role\/\S+$/.test(form.get("RoleArn") ?? "")) return "RoleArn";
  if (!/^[\w+=,.@-]{2,64}$/.test(form.get("RoleSessionName") ?? "")) return "RoleSessionName";
  const seconds = Number(form.get("DurationSeconds") ?? 3600);
  return seconds >= 900 && seconds <= 43_200 ? undefined : "DurationSeconds";
}

function credentialsXml(action: string, { accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: IssuedKeys): string {
  return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <${action}Result>
    <AssumedRoleUser><AssumedRoleId>AROA:x</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/x/x</Arn></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${accessKeyId}</AccessKeyId>
      <SecretAccessKey>${secretAccessKey}</SecretAccessKey>
      <SessionToken>${sessionToken}</SessionToken>
      <Expiration>${new Date(expiresAtMs).toISOString()}</Expiration>
    </Credentials>
  </${action}Result>
  <ResponseMetadata><RequestId>c6104cbe-af31-11e0-8154-cbc7ccf896c7</RequestId></ResponseMetadata>
</${action}Response>`;
}

function errorXml({ code, message }: Failure): string {
  return `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>
  <RequestId>c6104cbe-af31-11e0-8154-cbc7ccf896c7</RequestId>
</ErrorResponse>`;
}
