import { completion } from "../support/upstreams/mock-upstream.ts";
import { isRefusal, type AwsCloud } from "./aws-cloud.ts";
import { serveAws, type AwsServer } from "./aws-server.ts";

/** Bedrock's names of STS errors. */
const EXCEPTIONS = {
  MissingAuthenticationToken: "MissingAuthenticationTokenException",
  InvalidClientTokenId: "UnrecognizedClientException",
  ExpiredToken: "ExpiredTokenException",
  SignatureDoesNotMatch: "InvalidSignatureException",
  RequestExpired: "InvalidSignatureException",
};

/** A double of Bedrock that answers signed requests with a chat completion. */
export function startBedrock(cloud: AwsCloud, region: string): AwsServer & { readonly callers: readonly string[] } {
  const callers: string[] = [];
  const server = serveAws(cloud, async (request) => {
    const verdict = await cloud.verify(request, new Uint8Array(await request.arrayBuffer()), "bedrock", region);
    if (!isRefusal(verdict)) {
      callers.push(verdict.owner);
      return Response.json(completion());
    }
    return Response.json({ message: verdict.message }, { status: 403, headers: { "x-amzn-errortype": EXCEPTIONS[verdict.code] } });
  });
  return Object.assign(server, { callers });
}
