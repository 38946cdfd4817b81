import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";

/**
 * Bugs of other gateways with coding agents, and the tests that show that this gateway does not have them. Some cannot occur here, or are
 * refused by name: then a reason stands beside them.
 */
interface KnownBug {
  readonly bug: string;
  /** Where it was reported: a repository with an issue, a commit, or a changelog. */
  readonly seen: readonly string[];
  readonly tests?: Readonly<Record<string, readonly string[]>>;
  readonly because?: string;
}

const BUGS_OF_OTHERS = "test/agents/bugs-of-others.test.ts";
const MESSAGES = "test/messages/messages.test.ts";
const RESPONSES = "test/responses/responses.test.ts";
const MESSAGES_RELAY = "src/upstreams/anthropic/messages-relay.test.ts";
const MESSAGES_IN = "src/gateway/formats/messages/messages-to-chat.test.ts";
const MESSAGES_OUT = "src/gateway/formats/messages/chat-to-messages.test.ts";
const RESPONSES_IN = "src/gateway/formats/responses/responses-to-chat.test.ts";
const RESPONSES_OUT = "src/gateway/formats/responses/chat-to-responses.test.ts";
const ANTHROPIC = "src/upstreams/anthropic/anthropic-request.test.ts";
const ANTHROPIC_TOOLS = "src/upstreams/anthropic/anthropic-tool-use.test.ts";
const BEDROCK = "src/upstreams/bedrock/bedrock-dialect.test.ts";
const CLOUDS = "test/messages/clouds.test.ts";
const CLOUD_MESSAGES = "src/upstreams/anthropic/cloud-messages.test.ts";
const PREMIUM = "test/money/premium.test.ts";
const THROUGH_RESPONSES = "test/responses/chat-through-responses.test.ts";
const BEDROCK_EVENTS = "src/upstreams/bedrock/bedrock-events.test.ts";
const SAME_CHARGE = "test/money/same-charge.test.ts";
const CUTS = "test/streams/cut-endpoints.test.ts";
const ODD_BODIES = "test/gateway/odd-bodies.test.ts";

/** Properties with random responses in random chunks, read by a strict client. */
const ANY_MESSAGE = "any response in any chunks is a message that a strict client accepts, with the same content";
const ANY_RESPONSE = "any response in any chunks is one that a strict client accepts, with the same content, streamed or whole";
const ANY_BILL = "any conversation is charged as the provider bills it, within its hold, at every endpoint, relayed or translated";

const THINKING: readonly KnownBug[] = [
  {
    bug: "The signature of thinking changes when its body is serialized again",
    seen: ["router-for-me/CLIProxyAPI#2172", "Antigravity-Manager#3478"],
    tests: {
      [BUGS_OF_OTHERS]: ["thinking and its signatures reach Anthropic byte for byte, and `thinking` with them"],
      [MESSAGES]: ["a stream arrives byte for byte, except for the model's name"],
    },
  },
  {
    bug: "Thinking that is sent back to Bedrock changes its structure, so that tool loops stop",
    seen: ["bifrost#6342"],
    tests: {
      [BEDROCK]: [
        "results of parallel calls come first in one turn, with their reasoning returned before everything else",
        "a client that has lost the reasoning of its tool calls goes on without",
      ],
      [CLOUDS]: ["the body changes in nothing but the model, the version and the betas"],
    },
  },
  {
    bug: "Thinking without a signature is sent with an empty one",
    seen: ["litellm#31654", "Antigravity-Manager#1650"],
    tests: {
      "src/upstreams/anthropic/anthropic-completion.test.ts": ["does not attach unsigned thinking to tool calls"],
      [ANTHROPIC_TOOLS]: ["ignore invalid thinking blocks"],
      [MESSAGES]: ["thinking of another provider is not sent to Anthropic, and thinking is then off"],
    },
  },
  {
    bug: "Thinking and other content in one chunk fail",
    seen: ["litellm#33505"],
    tests: { [BUGS_OF_OTHERS]: ["one chunk may have reasoning, text, a call and the end, and empty pieces open nothing"] },
  },
  {
    bug: "Redacted thinking gets lost",
    seen: ["bifrost#4942", "bifrost#5093"],
    tests: {
      [BUGS_OF_OTHERS]: ["redacted thinking reaches the client, streamed and whole"],
      "src/upstreams/anthropic/anthropic-events.test.ts": ["attaches redacted thinking to the next tool call"],
    },
  },
  {
    bug: "A stream that begins with reasoning opens a block of text, or no block",
    seen: ["litellm#34433", "litellm#29600"],
    tests: { [MESSAGES_OUT]: [ANY_MESSAGE], [RESPONSES_OUT]: [ANY_RESPONSE] },
  },
  {
    bug: "Signatures of another provider make requests fail after a fallback",
    seen: ["ding113/claude-code-hub#518", "antigravity-claude-proxy#298", "caozhiyuan/copilot-api#73"],
    tests: {
      [MESSAGES]: [
        "thinking of another provider is not sent to Anthropic, and thinking is then off",
        "a tool loop that another provider has begun goes on without thinking, however long it is",
        "failover to it, before any content",
      ],
    },
  },
  {
    bug: "`thinking` is dropped as soon as a message has thinking blocks",
    seen: ["litellm#18929"],
    tests: { [BUGS_OF_OTHERS]: ["thinking and its signatures reach Anthropic byte for byte, and `thinking` with them"] },
  },
  {
    bug: "Adaptive thinking or an effort is sent to models that do not have it",
    seen: ["litellm#32867", "litellm#33244", "litellm#29702", "litellm#29304"],
    tests: {
      [MESSAGES]: [
        "the body changes in nothing but the model, and the format's headers arrive",
        "what it cannot express is rejected by name, and what it does without is named in a header",
      ],
      [ANTHROPIC]: ["passes every level that the model supports"],
    },
  },
  {
    bug: "A thinking budget below the API's minimum is sent",
    seen: ["bifrost#1479"],
    tests: { [BUGS_OF_OTHERS]: ["is off where the model's limit leaves less than the smallest budget"] },
    because:
      "A client's own budget is passed on, and its rejection by the API reaches the client; the gateway lowers none below the minimum.",
  },
  {
    bug: "Edits that clear thinking are sent without thinking",
    seen: ["anthropics/claude-code#21595", "anthropics/claude-code#11773"],
    tests: { [MESSAGES]: ["a tool loop that another provider has begun goes on without thinking, however long it is"] },
  },
  {
    bug: "Thinking blocks stay in messages for servers that reject them",
    seen: ["litellm#22997", "litellm#27881"],
    tests: { [MESSAGES]: ["tool results, images and a failed tool"], [BUGS_OF_OTHERS]: ["turns without content are not sent"] },
  },
  {
    bug: "Encrypted reasoning gets lost on the way to Anthropic",
    seen: ["litellm#36197"],
    tests: {
      [RESPONSES]: ["reasoning of another provider is dropped, and its own stays"],
      [RESPONSES_IN]: ["reasoning of another provider is dropped, and so are calls of its own tools"],
    },
    because: "Only the provider that has encrypted reasoning can read it. It is never sent to another one.",
  },
  {
    bug: "Encrypted reasoning is sent with another credential, which cannot decrypt it",
    seen: ["copilot-api#309", "copilot-api#339", "litellm#27820", "litellm@f3b8aad883e"],
    tests: {
      [BUGS_OF_OTHERS]: ["requests of one session stay with one upstream, whichever endpoint they come from"],
      [THROUGH_RESPONSES]: ["an agent gets parallel calls, and hands back the reasoning that led to them"],
    },
  },
  {
    bug: "Encrypted reasoning comes back under another item ID",
    seen: ["bifrost#5186", "raine/claude-code-proxy#52"],
    tests: {
      [RESPONSES]: [
        "the body is passed on except for its model and `store`, and without headers of the client or of the operator's organization",
      ],
    },
    because: "Items keep their IDs in a relay. In translations, reasoning is sent without an ID.",
  },
  {
    bug: "Author and recipient of messages between agents get lost",
    seen: ["bifrost#4608"],
    tests: { [RESPONSES_IN]: ["messages between agents keep who wrote to whom"] },
  },
  {
    bug: "Bedrock loses encrypted reasoning, or the order of signature and text",
    seen: ["bifrost#5879", "envoy#1818"],
    tests: {
      [BEDROCK_EVENTS]: [
        "signed and encrypted reasoning go to the tool call behind them; the text is shown",
        "encrypted reasoning in several pieces is put together by its bytes",
      ],
      [BEDROCK]: ["results of parallel calls come first in one turn, with their reasoning returned before everything else"],
    },
  },
  {
    bug: "Gemini's thought signatures are missing, or become a part of tool IDs",
    seen: ["bifrost#2226", "litellm@d881a482206", "envoy#2366"],
    tests: {
      [BUGS_OF_OTHERS]: ["Gemini gets a thought signature for each step of a tool loop, whichever endpoint it comes from"],
      "src/upstreams/gemini/gemini-request.test.ts": ["that is lost is replaced on the first call of each step, in the current turn only"],
    },
  },
];

const TOOLS: readonly KnownBug[] = [
  {
    bug: "Tool IDs of other providers have characters that Anthropic rejects",
    seen: ["litellm#21964", "litellm#31094", "bifrost#5096", "bifrost#6300"],
    tests: {
      [MESSAGES_OUT]: ["ids that Anthropic rejects are replaced, and numbers keep their digits"],
      [ANTHROPIC_TOOLS]: ["with ids that the API rejects get new ids, and so do their results"],
    },
  },
  {
    bug: "Parallel calls and their results lose their order",
    seen: ["bifrost#4410", "litellm#23116"],
    tests: {
      [BUGS_OF_OTHERS]: ["results follow their calls directly, before the text beside them"],
      [RESPONSES_IN]: [
        "parallel calls are one turn, and their results follow in the order of the calls",
        "calls one after the other are turns of their own",
      ],
    },
  },
  {
    bug: "The input of a call is empty in streams, or arguments that are absent do not become an object",
    seen: ["litellm@84b8c652e4b", "bifrost#3880"],
    tests: { [BUGS_OF_OTHERS]: ["a call without arguments has an empty object"], [MESSAGES_OUT]: [ANY_MESSAGE] },
  },
  {
    bug: "Indexes of blocks have gaps, or change with server tools",
    seen: ["bifrost#4890", "new-api: Claude stream block index/type transitions"],
    tests: {
      [MESSAGES_RELAY]: [
        "every event arrives as it was, with the public name of the model",
        "events of types that nobody knows arrive, too",
      ],
      [MESSAGES_OUT]: [ANY_MESSAGE],
    },
  },
  {
    bug: "Later pieces of a call have `name: null` and become calls of their own",
    seen: ["bifrost#3443", "bifrost#5966"],
    tests: { [BUGS_OF_OTHERS]: ["later pieces of a call without a name belong to the call"] },
  },
  {
    bug: "All parallel calls have one output index",
    seen: ["litellm@0664ec51d83", "agentgateway#1455"],
    tests: { [RESPONSES_OUT]: [ANY_RESPONSE] },
  },
  {
    bug: "Custom tools are dropped, or come back as function calls",
    seen: ["litellm#31571", "litellm#32258"],
    tests: {
      [RESPONSES]: ["a custom tool in a namespace becomes a function, and its call comes back"],
      [RESPONSES_IN]: ["custom calls in the conversation have their input as an argument"],
    },
  },
  {
    bug: "Tools of namespaces are rejected, or collide",
    seen: ["litellm#36182", "litellm#29489", "openai/codex#32318", "bifrost#3167", "envoy#2317"],
    tests: { [RESPONSES_IN]: ["namespaces are part of the name, and long or equal names get a hash"] },
  },
  {
    bug: "Tools in `additional_tools` items get lost",
    seen: ["bifrost#5100", "litellm@8307e3ee327"],
    tests: { [RESPONSES_IN]: ["tools that items have loaded are offered, too, and a tool is offered once"] },
  },
  {
    bug: "Items of tool search get lost",
    seen: ["bifrost#4121", "bifrost#4780", "bifrost#5279"],
    tests: {
      [RESPONSES_IN]: ["tools that items have loaded are offered, too, and a tool is offered once"],
      [RESPONSES_OUT]: [ANY_RESPONSE],
    },
  },
  {
    bug: "Unknown types of tools fail",
    seen: ["envoy#2486", "litellm#31663"],
    tests: {
      [RESPONSES_IN]: ["tools and choices without a counterpart are rejected by name"],
      [MESSAGES]: ["what it cannot express is rejected by name, and what it does without is named in a header"],
    },
    because:
      "A tool of an unknown type may run at the provider for a fee that has no price. It is rejected with its name, and web search of Codex is removed.",
  },
  {
    bug: "Calls are sent twice, or an empty list of tools is sent",
    seen: ["new-api#6225", "litellm: avoid sending empty tools list"],
    tests: {
      [RESPONSES_IN]: ["a call without a result gets one, and a repeated call or result is sent once"],
      [BUGS_OF_OTHERS]: ["a tool without parameters takes an object, and an empty list of tools is not sent"],
    },
  },
  {
    bug: "Failed tools look successful, and images in results get lost",
    seen: ["bifrost#5890", "litellm#23724"],
    tests: {
      [MESSAGES]: ["tool results, images and a failed tool"],
      [MESSAGES_IN]: ["images in the result of a tool follow it"],
      [RESPONSES_IN]: ["images in a result follow as a message of the user"],
    },
  },
  {
    bug: "`tool_choice: none` gets lost, and results are sent twice",
    seen: ["litellm#24457", "litellm@5d1106f018a"],
    tests: {
      [BUGS_OF_OTHERS]: ["a tool without parameters takes an object, and an empty list of tools is not sent"],
      [RESPONSES_IN]: ["a call without a result gets one, and a repeated call or result is sent once"],
    },
    because: "Anthropic's API rejects two results of one call, so no client of the Messages API sends them.",
  },
  {
    bug: "Tools without parameters are dropped, and empty ones are added",
    seen: ["new-api#6862", "new-api: stop injecting empty tools"],
    tests: { [BUGS_OF_OTHERS]: ["a tool without parameters takes an object, and an empty list of tools is not sent"] },
  },
  {
    bug: "Bedrock rejects calls in the history of a request without tools",
    seen: ["agentgateway#2747"],
    tests: { [BEDROCK]: ["but tools of the history are declared, which the API requires, as not available"] },
  },
  {
    bug: "The order of tools changes between requests, so that prompt caches miss",
    seen: ["bifrost#2347", "bifrost#2082"],
    tests: {
      [BUGS_OF_OTHERS]: ["the same tools are the same bytes in each turn"],
      "test/dialects/anthropic-requests.test.ts": [
        "the same request is translated to the same bytes, so that the provider's cache finds it again",
      ],
      "test/dialects/bedrock-requests.test.ts": [
        "the same request is translated to the same bytes, so that the provider's cache finds it again",
      ],
    },
  },
  {
    bug: "Turns without content, or calls without results, make requests fail",
    seen: ["bifrost#2938", "bifrost#3919"],
    tests: {
      [BUGS_OF_OTHERS]: ["turns without content are not sent"],
      [RESPONSES_IN]: ["a call without a result gets one, and a repeated call or result is sent once"],
    },
    because: "Anthropic's API rejects calls without results, so no client of the Messages API sends them.",
  },
];

const CACHING: readonly KnownBug[] = [
  {
    bug: "Cache breakpoints get lost in translations, or on documents",
    seen: ["litellm#29823", "litellm#27727", "envoy#2478", "envoy#2488"],
    tests: {
      [MESSAGES_IN]: ["cache breakpoints are kept for dialects that know them, and only for those"],
      [RESPONSES_IN]: ["breakpoints are kept for dialects that know them"],
      [BEDROCK]: ["stand behind what they cache, without a ttl"],
      [CLOUDS]: ["automatic caching marks the last block that can be cached"],
    },
  },
  {
    bug: "Fields of breakpoints, or null, are rejected by other platforms",
    seen: ["litellm@482bc939100", "litellm@e4cb28aa078"],
    tests: {
      [BUGS_OF_OTHERS]: ["a breakpoint is a cache point on Bedrock, whatever its fields"],
      [CLOUD_MESSAGES]: ["have no scope at any depth, and are not null", "have no ttl on Bedrock before Claude 4.5"],
    },
  },
  {
    bug: "Breakpoints of the gateway are added to four of the client",
    seen: ["litellm#30480", "litellm@0268d015163"],
    tests: { [MESSAGES]: ["the body changes in nothing but the model, and the format's headers arrive"] },
    because: "The gateway adds no breakpoints.",
  },
  {
    bug: "Cache writes for an hour are billed like writes for five minutes",
    seen: ["litellm#32073"],
    tests: {
      [PREMIUM]: ["cache writes for an hour have their own rate"],
      [MESSAGES]: ['system[0].cache_control.ttl must be "5m"'],
      [ANTHROPIC]: ["removes the ttl of cache_control everywhere, because a model has one cache-write price"],
    },
    because: "A model without a rate for an hour rejects it by name, and chat completions are cached for five minutes.",
  },
  {
    bug: "System messages in mid-conversation move to the top, so that prompt caches miss",
    seen: ["bifrost#4068", "litellm#32578", "litellm#32831"],
    tests: {
      [MESSAGES_IN]: ["system messages in mid-conversation stay in place"],
      [MESSAGES]: ["the body changes in nothing but the model, and the format's headers arrive"],
    },
    because:
      "A relay moves nothing. Chat completions keep the place, too, except for Claude and Gemini, whose translated requests have one system prompt.",
  },
  {
    bug: "The key of the prompt cache gets lost",
    seen: ["new-api#6861"],
    tests: { [RESPONSES_IN]: ["settings have their names of chat completions"] },
  },
  {
    bug: "Claude Code's attribution block is not the first one",
    seen: ["Claude Code: gateway protocol reference"],
    tests: {
      [MESSAGES]: ["the body changes in nothing but the model, and the format's headers arrive"],
      [MESSAGES_IN]: ["Claude Code's attribution block is for Anthropic alone, and other system blocks stay apart"],
    },
  },
];

const MONEY: readonly KnownBug[] = [
  {
    bug: "Cached tokens are counted twice",
    seen: ["envoy#2236", "envoy#2239", "litellm@f0d2d263015", "bifrost#2302"],
    tests: { [SAME_CHARGE]: [ANY_BILL] },
  },
  {
    bug: "Counts of the prompt come with the last event only, or the first one has none",
    seen: ["envoy#2292", "envoy#2350", "agentgateway#2977", "bifrost#5885"],
    tests: { [MESSAGES_RELAY]: ["may come with message_delta only"], [MESSAGES_OUT]: [ANY_MESSAGE] },
  },
  {
    bug: "Cache writes are counted as reads, or cached tokens cost as much as others",
    seen: ["bifrost#4816", "litellm@37744ca944c"],
    tests: {
      [SAME_CHARGE]: [ANY_BILL],
      "src/upstreams/anthropic/anthropic-usage.test.ts": ["prompt tokens are uncached input, cache reads and cache writes"],
    },
  },
  {
    bug: "The usage of interrupted streams gets lost",
    seen: ["litellm#30787", "litellm#31035", "new-api: 断流时不再整份覆盖 usage"],
    tests: {
      [MESSAGES_RELAY]: ["never fall, and a later zero erases nothing", "do not cover what arrived after them"],
      "test/crash/kill-nine.full.test.ts": [
        "kill -9 at ${KILLS} moments under load loses no charge, duplicates none, and leaves no open hold",
      ],
    },
  },
  {
    bug: "Incomplete and failed responses are not charged",
    seen: ["envoy#2184", "bifrost#4842"],
    tests: {
      [RESPONSES]: ["an incomplete response is charged, too"],
      [BUGS_OF_OTHERS]: ["a response that failed after its first content is charged by the counts in response.failed"],
    },
  },
  {
    bug: "Reasoning tokens or cached tokens get lost",
    seen: ["litellm#32837", "litellm@ed366aafbe1", "new-api#6892"],
    tests: { [SAME_CHARGE]: [ANY_BILL], [RESPONSES]: ["JSON is translated"] },
  },
  {
    bug: "Budgets and limits do not apply to other endpoints than chat completions",
    seen: ["litellm#30276", "api7/aisix#123"],
    tests: {
      "test/money/endpoints.test.ts": ["of 200 at once with credit for 10, exactly 10 are admitted, and nothing is left"],
      "test/money/endpoints.full.test.ts": ["of 200 at once with credit for 10, exactly 10 are served and charged, and nothing is left"],
    },
  },
  {
    bug: "Compaction is not charged",
    seen: ["new-api: /v1/responses/compact default billing"],
    tests: {
      [BUGS_OF_OTHERS]: ["compaction has no endpoint: agents compact by an ordinary turn"],
      [PREMIUM]: ["a compaction is charged, too"],
    },
  },
  {
    bug: "Fast mode, regions, service tiers and web search are not charged",
    seen: ["bifrost#4267", "bifrost#5072", "bifrost#5387", "litellm#31355"],
    tests: {
      [PREMIUM]: [
        "searches have a fee",
        "options multiply the rates, and not the fees",
        "web search is served where it has a fee, with a limit that the hold pays for",
        "the service tier of the reply decides the rates",
        "usage that no price has is counted and raises an alert with its name",
      ],
      [MESSAGES]: ["speed changes the price", "tools[0] is of type web_search_20250305"],
      [RESPONSES]: ["web search without a price is not offered, and named in a header"],
    },
    because: "What a model has no price for is rejected by name, and web search of Codex is removed.",
  },
  {
    bug: "Counting tokens costs credit, or hides the provider's rejection",
    seen: ["litellm#21352", "litellm#22366", "bifrost#5620"],
    tests: {
      [MESSAGES]: [
        "is done by the upstream, free of charge, without credit",
        "is a 404 for a model whose upstreams do not count, for an unknown one and for one that the key may not call",
      ],
      [BUGS_OF_OTHERS]: ["a prompt that cannot be counted is rejected in the words of the API"],
    },
  },
];

const STREAMS: readonly KnownBug[] = [
  {
    bug: "A message starts twice",
    seen: ["bifrost#4556", "litellm#33793"],
    tests: { [MESSAGES_RELAY]: ["is sent once, if the upstream sends two"], [MESSAGES_OUT]: [ANY_MESSAGE] },
  },
  {
    bug: "`message_stop` is missing, or a stream without it looks complete",
    seen: ["bifrost#2429", "litellm#32159"],
    tests: {
      [MESSAGES_RELAY]: [
        "without message_stop gets one, because the stop reason is known",
        "without a stop reason is a truncated response",
      ],
      [MESSAGES]: ["a stream without an end is never a clean end"],
    },
  },
  {
    bug: "A chunk with counts and without a choice fails",
    seen: ["litellm@0b809cf7d68", "new-api: emit claude message_delta for usage-only final chunk"],
    tests: {
      [MESSAGES]: ["a stream with thinking, text and a tool call"],
      [RESPONSES]: ["the SDK's stream helper assembles reasoning, text and a call"],
    },
  },
  {
    bug: "Chunks with text, a call and the end, or with empty text, open wrong blocks",
    seen: ["litellm#35289", "agentgateway#2148"],
    tests: { [BUGS_OF_OTHERS]: ["one chunk may have reasoning, text, a call and the end, and empty pieces open nothing"] },
  },
  {
    bug: "Events of the Responses API are missing, or follow the last one",
    seen: ["litellm@d560e4c009b", "litellm#19368", "duolahypercho/codex-router#837", "litellm@df60e36d07b"],
    tests: {
      [BUGS_OF_OTHERS]: ["a text has every event of the Responses API, in its order"],
      [CUTS]: ["a stream that is cut anywhere has one end, and it never looks complete"],
    },
  },
  {
    bug: "The error of a failed response is outside of the response, or has no code",
    seen: ["openai/codex#24973", "litellm: map all documented in-stream error codes"],
    tests: {
      [RESPONSES]: ["a stream that is cut ends with one response.failed, with the ID of the response and a code that is repeated"],
      [BUGS_OF_OTHERS]: ["a rate limit of the operator in mid-stream has a code inside of the response after which agents wait"],
    },
  },
  {
    bug: "`response.completed` has no usage or no output",
    seen: ["bifrost#3519", "bifrost#5386"],
    tests: {
      [BUGS_OF_OTHERS]: ["a response without counts is charged by an estimate, and has counts for its client"],
      [RESPONSES_OUT]: [ANY_RESPONSE],
    },
  },
  {
    bug: "An upstream that dies looks like the end of its response, or hangs the client",
    seen: ["bifrost#5546", "bifrost#5555", "bifrost#5504"],
    tests: { [CUTS]: ["a stream that is cut anywhere has one end, and it never looks complete"] },
  },
  {
    bug: "Keep-alives are missing, or are not whole frames",
    seen: ["litellm@131339d8e59", "envoy#2549", "bifrost#5874", "bifrost#6240"],
    tests: { [BUGS_OF_OTHERS]: ["keep-alives are whole frames, and events that clients ignore"] },
  },
  {
    bug: "Streams are buffered",
    seen: ["bifrost#4542", "litellm#29557"],
    tests: { [BUGS_OF_OTHERS]: ["content arrives while the upstream is still writing, and proxies are asked not to buffer it"] },
  },
  {
    bug: "Events break if the network cuts them inside a character or a frame",
    seen: ["litellm#28566", "bifrost#1904", "envoy#2163", "agentgateway#2113"],
    tests: {
      "src/upstreams/streams/read-events.test.ts": [
        "returns the same events however the bytes are split, even within characters and line ends",
      ],
    },
  },
  {
    bug: "Compressed bodies are read as text, or keep their `content-encoding`",
    seen: ["envoy#1927", "envoy#2554", "agentgateway#2404", "bifrost#1914"],
    tests: {
      [ODD_BODIES]: ["another media type or a content encoding is a 415"],
      "test/hostile/hostile.full.test.ts": ["${endpoint.path}: ${kind} has a defined outcome when the upstream sends ${each.name}"],
    },
    because:
      "Upstreams are asked for uncompressed bodies, and clients are told that theirs must be, too. Codex compresses only for OpenAI's own backend.",
  },
];

const REQUESTS: readonly KnownBug[] = [
  {
    bug: "Bedrock and Vertex AI reject unknown betas, and need some",
    seen: [
      "litellm#19373",
      "litellm#27532",
      "litellm#26240",
      "envoy#2512",
      "envoy#2148",
      "anthropics/claude-code#49548",
      "anthropics/claude-code#51700",
      "anthropics/claude-code#14135",
      "9router#1468",
    ],
    tests: {
      [MESSAGES]: ["the client's betas and the operator's take effect, except a context that the model does not declare"],
      [CLOUD_MESSAGES]: [
        "the beta %s is sent to the models that accept it, and named for all others",
        "%s is sent with its beta, or neither is sent",
      ],
      [CLOUDS]: ["Claude Code's betas and fields are sent in pairs, and the rest is named"],
    },
  },
  {
    bug: "Context management fails, or is dropped",
    seen: ["litellm#27534", "Otari#512", "Otari#513"],
    tests: {
      [MESSAGES]: ["the body changes in nothing but the model, and the format's headers arrive"],
      [CLOUD_MESSAGES]: ["%s is sent with its beta, or neither is sent"],
    },
  },
  {
    bug: "Stored responses are mixed up, or `previous_response_id` is ignored",
    seen: ["bifrost#2270", "bifrost#3121", "litellm#32034", "litellm#32269"],
    tests: {
      [RESPONSES]: [
        "Send all items of the conversation",
        "stores no responses",
        "`store: false` is sent even where the operator drops it from requests",
      ],
    },
  },
  {
    bug: "The output limit is dropped, or is below the API's minimum",
    seen: ["litellm#33098", "bifrost#4362", "bifrost#6457"],
    tests: {
      [RESPONSES_IN]: ["settings have their names of chat completions"],
      [RESPONSES]: [
        "the body is passed on except for its model and `store`, and without headers of the client or of the operator's organization",
      ],
    },
    because: "A client's own limit is passed on, and its rejection by the API reaches the client.",
  },
  {
    bug: "Errors are wrapped, have numbers as codes, or no message, so that agents do not recover",
    seen: ["Claude Code: gateway protocol reference", "envoy#2161", "bifrost#4413", "bifrost#1879", "litellm#32271", "litellm#32287"],
    tests: {
      [MESSAGES]: ["a rejection of the request reaches the client in the upstream's words"],
      [RESPONSES]: ["an upstream's rejection is passed on unchanged, unless it names a credential"],
      "test/hostile/cases/errors.ts": ["a code that is a number"],
    },
  },
  {
    bug: "Stop reasons get lost in translations",
    seen: ["bifrost#1995", "bifrost#5978", "litellm#25498", "litellm#19745"],
    tests: {
      [MESSAGES_OUT]: [ANY_MESSAGE],
      [RESPONSES_OUT]: [ANY_RESPONSE],
      [MESSAGES_RELAY]: ["every event arrives as it was, with the public name of the model"],
    },
  },
  {
    bug: "Items without a type or an ID, and input that is a text, fail",
    seen: ["envoy#1839", "envoy#1879", "envoy#2172", "new-api: normalize input_text", "Team-Commonly/commonly#472"],
    tests: {
      [RESPONSES_IN]: [
        "messages need neither a type nor an ID, and their content may be a text or parts",
        "a text is a message of the user, after the instructions",
      ],
      [RESPONSES]: ["a Responses body at chat completions is answered with chunks"],
    },
  },
];

const SUBJECTS = { THINKING, TOOLS, CACHING, MONEY, STREAMS, REQUESTS };

describe.each(Object.entries(SUBJECTS))("%s", (_, bugs) => {
  test.each(bugs)("$bug", ({ seen, tests, because }) => {
    expect(seen.length).toBeGreaterThan(0);
    expect(tests ?? because).toBeDefined();
    for (const [file, names] of Object.entries(tests ?? {})) {
      const source = readFileSync(join(ROOT, file), "utf8");
      expect({ file, missing: names.filter((name) => !isNamed(name, source)) }).toEqual({ file, missing: [] });
    }
  });
});

/** Whether a source file has a test, or a case of a table, with this name; the name may follow the subject of the test. */
function isNamed(name: string, source: string): boolean {
  return [`"${name}"`, `'${name}'`, `\`${name}\``, `: ${name}\``, `: ${name}"`, `"${name}`, `'${name}`].some((quoted) =>
    source.includes(quoted),
  );
}
