import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { Secret } from "../../src/lib/secret/secret.ts";
import { toByteText } from "../../src/lib/text/byte-text.ts";
import type { AwsKeys } from "../../src/upstreams/identities/credential-source.ts";
import { signRequest } from "../../src/upstreams/identities/aws/sign.ts";
import { runs } from "../support/long.ts";
import {
  SESSION_VECTOR,
  SIGNING_VECTORS,
  VECTOR_HOST,
  VECTOR_KEYS,
  VECTOR_SCOPE,
  VECTOR_SESSION_TOKEN,
  type SigningVector,
} from "./signing-vectors.ts";

function keysOf(secret: string, sessionToken: string | undefined): AwsKeys {
  return {
    accessKeyId: VECTOR_KEYS.accessKeyId,
    secretAccessKey: new Secret(secret),
    sessionToken: sessionToken === undefined ? undefined : new Secret(sessionToken),
    expiresAtMs: undefined,
  };
}

function expectVector(vector: SigningVector, sessionToken: string | undefined): void {
  const { name, method, target, headers = {}, body } = vector;
  const request = { method, host: VECTOR_HOST, target, headers, body: body === undefined ? undefined : [toByteText(body)] };
  const signed = signRequest(request, keysOf(VECTOR_KEYS.secretAccessKey, sessionToken), VECTOR_SCOPE);
  const credential = "AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";
  const expected = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${vector.signedHeaders}, Signature=${vector.signature}`;
  expect([name, signed["authorization"], signed["x-amz-date"]]).toEqual([name, expected, "20150830T123600Z"]);
}

test(`the ${SIGNING_VECTORS.length + 1} vectors of AWS`, () => {
  for (const vector of SIGNING_VECTORS) expectVector(vector, undefined);
  expectVector(SESSION_VECTOR, VECTOR_SESSION_TOKEN);
});

test("headers that a proxy or a tracer on the way may change are not signed", () => {
  const headers = { traceparent: "00-1-2-03", tracestate: "a=b", "user-agent": "tollgate", accept: "application/json" };
  const request = { method: "GET", host: VECTOR_HOST, target: "/", headers, body: undefined } as const;
  const signed = signRequest(request, keysOf(VECTOR_KEYS.secretAccessKey, undefined), VECTOR_SCOPE);
  expect(signed["authorization"]).toContain(" SignedHeaders=accept;host;x-amz-date,");
  expect(signed).toMatchObject(headers);
});

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const segment = fc.oneof(text, fc.constantFrom("model", "arn:aws:bedrock:us-east-1:1:inference-profile/a.b-v1:0", "..", ".", "a b", "é"));
const requests = fc.record({
  segments: fc.array(segment, { maxLength: 4 }),
  // `URLSearchParams` and the signer of AWS agree on names that occur once.
  query: fc.dictionary(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), text, { maxKeys: 3 }),
  headers: fc.dictionary(fc.stringMatching(/^x-[a-z]{1,6}$/), fc.stringMatching(/^[!-~]{0,6}( {0,2}[!-~]{1,6})?$/), { maxKeys: 3 }),
  body: fc.option(fc.array(fc.string({ unit: "binary", maxLength: 40 }), { maxLength: 3 }), { nil: undefined }),
  secret: fc.stringMatching(/^[\w/+]{1,40}$/),
  sessionToken: fc.option(fc.stringMatching(/^[\w/+]{1,40}$/), { nil: undefined }),
  region: fc.constantFrom("us-east-1", "us-gov-west-1", "cn-north-1"),
  atMs: fc.integer({ min: 0, max: 4e12 }),
});

test("any request has the signature of the official signer", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ segments, query, headers, body, secret, sessionToken, region, atMs }) => {
      const path = `/${segments.map(encodeURIComponent).join("/")}`;
      const pairs = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join("="));
      const target = pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
      const method = body === undefined ? "GET" : "POST";
      const ours = signRequest({ method, host: VECTOR_HOST, target, headers, body: body?.map(toByteText) }, keysOf(secret, sessionToken), {
        region,
        service: "bedrock",
        atMs,
      });
      const theirs = await new SignatureV4({
        credentials: { accessKeyId: VECTOR_KEYS.accessKeyId, secretAccessKey: secret, ...(sessionToken !== undefined && { sessionToken }) },
        region,
        service: "bedrock",
        sha256: Sha256,
        applyChecksum: false,
      }).sign(
        {
          method,
          protocol: "https:",
          hostname: VECTOR_HOST,
          path,
          query,
          headers: { ...headers, host: VECTOR_HOST },
          body: Buffer.concat((body ?? []).map((piece) => Buffer.from(piece))),
        },
        { signingDate: new Date(atMs) },
      );
      expect<Record<string, string>>({ ...ours, host: VECTOR_HOST }).toEqual(theirs.headers);
    }),
    runs(300),
  );
});
