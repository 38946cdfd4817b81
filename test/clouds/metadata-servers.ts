import type { AwsCloud, IssuedKeys } from "./aws-cloud.ts";
import { serveAws, type AwsServer } from "./aws-server.ts";

export const INSTANCE_ROLE = "gateway-role";
const LIST = "/latest/meta-data/iam/security-credentials/";

/** The metadata service of an EC2 instance that requires IMDSv2. */
export function startInstanceMetadata(cloud: AwsCloud, hasRole = true): AwsServer {
  const sessions = new Map<string, number>();

  function startSession(request: Request): Response {
    const seconds = Number(request.headers.get("x-aws-ec2-metadata-token-ttl-seconds") ?? "none");
    // Requests through a proxy are rejected: they would come from another party.
    if (request.headers.has("x-forwarded-for")) return new Response("forbidden", { status: 403 });
    if (request.method !== "PUT") return new Response("method not allowed", { status: 405 });
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 21_600) return new Response("bad request", { status: 400 });
    const session = `session-${sessions.size}==`;
    sessions.set(session, cloud.nowMs() + seconds * 1000);
    return new Response(session, { headers: { "x-aws-ec2-metadata-token-ttl-seconds": String(seconds) } });
  }

  return serveAws(cloud, (request, path) => {
    if (path === "/latest/api/token") return startSession(request);
    const endsAtMs = sessions.get(request.headers.get("x-aws-ec2-metadata-token") ?? "") ?? 0;
    if (request.method !== "GET") return new Response("method not allowed", { status: 405 });
    if (endsAtMs <= cloud.nowMs()) return new Response("unauthorized", { status: 401 });
    if (path === "/latest/meta-data/placement/region") return new Response("us-east-1");
    if (path === LIST && hasRole) return new Response(INSTANCE_ROLE);
    if (path !== LIST + INSTANCE_ROLE || !hasRole) return new Response("not found", { status: 404 });
    const keys = cloud.issue("instance");
    return Response.json({ Code: "Success", Type: "AWS-HMAC", LastUpdated: toDate(cloud.nowMs()), ...fieldsOf(keys) });
  });
}

/** The credentials of a container in ECS or EKS. */
export function startContainerCredentials(cloud: AwsCloud, path: string, authorization: () => string | null): AwsServer {
  return serveAws(cloud, (request, asked) => {
    if (request.method !== "GET" || asked !== path) return new Response("not found", { status: 404 });
    if (request.headers.get("authorization") !== authorization()) return Response.json({ code: "AccessDenied" }, { status: 401 });
    return Response.json({ RoleArn: "arn:aws:iam::123456789012:role/task", ...fieldsOf(cloud.issue("container")) });
  });
}

function fieldsOf({ accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: IssuedKeys): object {
  return { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration: toDate(expiresAtMs) };
}

function toDate(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z/, "Z");
}
