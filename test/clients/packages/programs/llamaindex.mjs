import { tool } from "@llamaindex/core/tools";
import { agent, agentStreamEvent } from "@llamaindex/workflow";
import { z } from "zod";
import { llm } from "./settings.mjs";

const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
});
const pieces = [];
for await (const event of agent({ llm, tools: [weather] }).runStream("Hello!")) {
  if (agentStreamEvent.include(event) && event.data.delta) pieces.push(event.data.delta);
}
process.stdout.write(JSON.stringify({ pieces }));
