import { answerOf, errorOf, RETRY_INFO } from "./gemini-answers.ts";
import { refuse, type GeminiRequest, type Script } from "./gemini-server.ts";

/** The responses of the models of the mock Gemini API. */

export const SIGNATURE = "c2lnbmVkIGJ5IHRoZSBtb2RlbA==";
export const STAND_IN = "skip_thought_signature_validator";

const HELLO = [
  answerOf([{ text: "Let me think.", thought: true }]),
  answerOf([{ text: "Hello" }]),
  answerOf([{ text: " world" }]),
  answerOf([{ text: "", thoughtSignature: SIGNATURE }], "STOP"),
];

/** Two calls at once; the first one is signed. */
const CALLS = [
  answerOf([
    { functionCall: { name: "weather", args: { city: "Oslo" }, id: "g-1" }, thoughtSignature: SIGNATURE },
    { functionCall: { name: "weather", args: { city: "Bergen" }, id: "g-2" } },
  ]),
  answerOf([{ text: "" }], "STOP"),
];

/** Calls tools until it has results. A signature that is neither the model's own nor the stand-in is rejected. */
function callWeather({ body }: GeminiRequest): readonly object[] | Response {
  const parts = body.contents.flatMap((content) => content.parts);
  if (!parts.some(({ functionResponse }) => functionResponse)) return CALLS;
  const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
  if (signatures.every((each) => each === SIGNATURE || each === STAND_IN)) return HELLO;
  return refuse(errorOf(400, "INVALID_ARGUMENT", "Thought signature is not valid"));
}

const TOO_LONG = "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).";

export const SCRIPTS: Readonly<Record<string, Script>> = {
  "gemini-3-text": () => HELLO,
  "gemini-3-tools": callWeather,
  "gemini-3-json": () => [answerOf([{ text: '{"city":' }]), answerOf([{ text: '"Oslo"}' }], "STOP")],
  "gemini-3-filtered": () => [answerOf([{ text: "Hel" }]), answerOf(undefined, "SAFETY")],
  "gemini-3-blocked": () => [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 9 } }],
  "gemini-3-malformed": () => [answerOf(undefined, "MALFORMED_FUNCTION_CALL")],
  "gemini-3-failing": () => [answerOf([{ text: "Hel" }]), errorOf(503, "UNAVAILABLE", "The model is overloaded.")],
  "gemini-3-cut": () => [answerOf([{ text: "Hel" }])],
  "gemini-3-busy": () => refuse(errorOf(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [RETRY_INFO])),
  "gemini-3-narrow": () => refuse(errorOf(400, "INVALID_ARGUMENT", TOO_LONG)),
};
