import { Agent, tool } from "@openai/agents";
import { z } from "zod";
import { runner } from "./settings.mjs";

const weather = tool({
  name: "weather",
  description: "The weather in a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `rain in ${city}`,
});
const agent = new Agent({ name: "test", model: "fast-chat", tools: [weather] });
const run = await runner.run(agent, "Hello!", { stream: true });
const pieces = await Array.fromAsync(run.toTextStream());
await run.completed;
const { inputTokens, outputTokens } = run.state.usage;
process.stdout.write(JSON.stringify({ pieces, tokens: [inputTokens, outputTokens] }));
