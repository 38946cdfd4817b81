import type { Dialect } from "../dialect.ts";
import { EventStreamReader } from "../streams/event-stream-reader.ts";
import { readBedrockCompletion } from "./bedrock-completion.ts";
import { BedrockEvents } from "./bedrock-events.ts";
import { bedrockModelsRequest, modelsIn, nextPage } from "./bedrock-model-list.ts";
import { bedrockRefusal } from "./bedrock-refusal.ts";
import { toBedrockRequest } from "./bedrock-request.ts";

/** Amazon Bedrock's `Converse` and `ConverseStream`: requests and responses are translated. */
export const bedrockDialect: Dialect = {
  request: toBedrockRequest,
  readCompletion: readBedrockCompletion,
  readEvents: (call) => new BedrockEvents(call),
  openReader: () => new EventStreamReader(),
  refusal: bedrockRefusal,
  modelsRequest: bedrockModelsRequest,
  modelsIn,
  nextPage,
};
