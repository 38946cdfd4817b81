import { CHAT_COMPLETIONS_PATH } from "./chat-completions.ts";

/** The settings of more clients. */
const DOCS = "docs/errors.md#wrong-urls";

/**
 * Endpoints of other formats, which clients call by default. Codex is not named: since February 2026 it has no setting for chat
 * completions (https://github.com/openai/codex/discussions/7782).
 */
const OTHER_FORMATS: readonly { readonly path: RegExp; readonly hint: string }[] = [
  {
    path: /^(\/v1)?\/responses(\/|$)/,
    hint:
      'The Responses API is not supported: set the client to chat completions, such as set_default_openai_api("chat_completions") in the ' +
      "OpenAI Agents SDK, openai.chat(…) in the AI SDK, or use_responses_api=False in LangChain.",
  },
  {
    path: /^(\/v1)?\/messages(\/|$)/,
    hint: `Anthropic's Messages API is not supported: use a client of the OpenAI format, which calls Claude models too by POST ${CHAT_COMPLETIONS_PATH}.`,
  },
  {
    path: /^(\/v1)?\/(completions|embeddings)$/,
    hint: `Only chat completions are supported, by POST ${CHAT_COMPLETIONS_PATH}.`,
  },
];

/** The end of a path whose beginning, the client's base URL, is wrong: `/chat/completions`, `/v1/v1/models`, `/v1//models`. */
const ENDPOINT_ELSEWHERE = /\/(chat\/{1,9}completions|models)\/{0,9}$/;

/** The client setting that fixes a call to an unknown path. Undefined where it is not recognized. */
export function hintForUnknownUrl(path: string): string | undefined {
  const other = OTHER_FORMATS.find((each) => each.path.test(path));
  if (other) return `${other.hint} See ${DOCS}.`;
  const endpoint = ENDPOINT_ELSEWHERE.exec(path)?.[1]?.replace(/\/+/, "/");
  return (
    endpoint &&
    `The client's base URL must end in /v1: exactly one, without a trailing slash. The URL of this call would then be /v1/${endpoint}. See ${DOCS}.`
  );
}
