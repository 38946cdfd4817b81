import { describe, expect, test } from "bun:test";
import { bedrockRefusal, exceptionInside } from "./bedrock-refusal.ts";

const DENIED = "User: arn:aws:iam::1:role/r is not authorized to perform: bedrock:InvokeModel on resource: arn:aws:bedrock:::m";
const CREDENTIAL = { status: 502, fault: { kind: "credential" } };
const NO_CACHE =
  "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.";
const UNSUPPORTED = { status: 400, code: "unsupported_parameter", fault: { kind: "unsupported" } };
const MISCONFIGURED = { status: 502, fault: { kind: "failed", isFinal: true } };

describe("an error response becomes", () => {
  const REFUSALS: [when: string, status: number, type: string, message: string, expected: object][] = [
    ["a wait", 429, "ThrottlingException", "Too many tokens, please wait before trying again.", { status: 503, fault: { kind: "busy" } }],
    ["a wait for the model", 429, "ModelNotReadyException", "warming up", { status: 503, fault: { kind: "busy" } }],
    ["a failure of the service", 503, "ServiceUnavailableException", "no", { status: 503, fault: { kind: "failed" } }],
    ["a failure of the model", 424, "ModelErrorException", "no", { status: 502, fault: { kind: "failed" } }],
    ["a timeout", 408, "ModelTimeoutException", "no", { status: 504, code: "upstream_timeout", fault: { kind: "failed", isFinal: true } }],
    [
      "the caller's fault",
      400,
      "ValidationException",
      "temperature is odd",
      { status: 400, message: "temperature is odd", fault: undefined },
    ],
    ["a quota of our account", 400, "ServiceQuotaExceededException", "Your request exceeds the service quota.", CREDENTIAL],
    ["a credential of ours that is wrong", 403, "UnrecognizedClientException", "The security token included is invalid.", CREDENTIAL],
    ["one that has expired, with a 400", 400, "ExpiredTokenException", "The security token included is expired", CREDENTIAL],
    [
      "an API key that is wrong",
      403,
      "AccessDeniedException",
      "Authentication failed: Please make sure your API Key is valid.",
      CREDENTIAL,
    ],
    ["a missing permission, which is of one model", 403, "AccessDeniedException", DENIED, MISCONFIGURED],
    [
      "a model without access",
      403,
      "AccessDeniedException",
      "You don't have access to the model with the specified model ID.",
      MISCONFIGURED,
    ],
    ["a parameter that the model does not support", 403, "AccessDeniedException", NO_CACHE, UNSUPPORTED],
    ["the same with a 400", 400, "ValidationException", NO_CACHE, UNSUPPORTED],
    ["a wrong name of the model", 400, "ValidationException", "The provided model identifier is invalid.", MISCONFIGURED],
    [
      "a model that needs an inference profile",
      400,
      "ValidationException",
      "Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with …",
      MISCONFIGURED,
    ],
    ["a model that is not there", 404, "ResourceNotFoundException", "Could not resolve the foundation model.", MISCONFIGURED],
  ];
  test.each(REFUSALS)("%s", (_when, status, type, message, expected) => {
    const body = JSON.stringify({ message });
    const headers = new Headers({ "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/` });
    expect(bedrockRefusal(status, headers, body)).toMatchObject(expected);
    expect(bedrockRefusal(status, headers, body).detail).toStartWith(`upstream status ${status}: `);
    // Some services have the type in the body.
    const typed = JSON.stringify({ __type: `com.amazon.coral#${type}`, Message: message });
    expect(bedrockRefusal(status, new Headers(), typed)).toMatchObject(expected);
  });
});

test("the detail has the type of the exception and the permission; the message for callers has neither", () => {
  const refusal = bedrockRefusal(403, new Headers({ "x-amzn-errortype": "AccessDeniedException" }), JSON.stringify({ message: DENIED }));
  expect(refusal.detail).toContain(`AccessDeniedException: ${DENIED}`);
  expect(refusal.message).not.toContain("arn:");
});

test("a caller cannot disable the credential by quoting these messages", () => {
  const message = `messages.0 is odd: "The provided model identifier is invalid. ${DENIED}"`;
  const refusal = bedrockRefusal(400, new Headers({ "x-amzn-errortype": "ValidationException" }), JSON.stringify({ message }));
  expect(refusal).toMatchObject({ status: 400, fault: undefined });
});

test.each(["", "<html>", "null", "[]", '{"message":5}'])("the body %j is an error all the same", (body) => {
  expect(bedrockRefusal(500, new Headers(), body)).toMatchObject({ status: 502, fault: { kind: "failed" } });
});

test.each([
  ["throttlingException", { status: 503, fault: { kind: "busy" } }],
  ["serviceUnavailableException", { status: 503, fault: { kind: "failed" } }],
  ["internalServerException", { status: 502, fault: { kind: "failed" } }],
  ["modelStreamErrorException", { status: 502, fault: { kind: "failed" } }],
  ["modelTimeoutException", { status: 504 }],
  ["validationException", { status: 400, message: "why" }],
  ["someNewException", { status: 502, fault: { kind: "failed" } }],
])("the exception %s of a stream is like the response", (name, expected) => {
  expect(exceptionInside(name, { message: "why" })).toMatchObject(expected);
});
