import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { model } from "./settings.mjs";

const weather = createTool({
  id: "weather",
  description: "The weather in a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `rain in ${city}`,
});
const agent = new Agent({ id: "test", name: "test", instructions: "Be brief.", model, tools: { weather } });
const answer = await agent.stream("Hello!");
process.stdout.write(JSON.stringify({ pieces: await Array.fromAsync(answer.textStream) }));
