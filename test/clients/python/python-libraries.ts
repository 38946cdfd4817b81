import type { Plan } from "../planned-upstream.ts";
import type { Group } from "./python-groups.ts";

/** A library, by its heading in docs/clients.md, and the program in `programs` that uses it. */
export interface PythonLibrary {
  readonly name: string;
  readonly group: Group;
  readonly program: string;
  readonly tasks: readonly Task[];
}

/** A task of a program: the steps of the upstream, and the output of the program. */
export interface Task {
  readonly name: "chat" | "tools" | "structured" | "streamed";
  readonly plans: readonly Plan[];
  readonly result: unknown;
}

const OSLO = { city: "Oslo", sky: "rain" };

const CHAT: Task = { name: "chat", plans: [], result: ["Hello", " world"] };
const TOOLS: Task = { name: "tools", plans: [{ tool: "weather", arguments: { city: "Oslo" } }], result: "Hello world" };
const STRUCTURED: Task = { name: "structured", plans: [{ text: JSON.stringify(OSLO) }], result: OSLO };

const ALL = [CHAT, TOOLS, STRUCTURED];

export const PYTHON_LIBRARIES: readonly PythonLibrary[] = [
  { name: "OpenAI SDK, Python", group: "openai", program: "openai_client", tasks: ALL },
  { name: "LangChain, Python", group: "openai", program: "langchain_client", tasks: ALL },
  { name: "LiteLLM SDK", group: "litellm", program: "litellm_client", tasks: ALL },
  { name: "Pydantic AI", group: "openai", program: "pydantic_ai_client", tasks: ALL },
  {
    name: "Instructor",
    group: "litellm",
    program: "instructor_client",
    tasks: [STRUCTURED, { ...STRUCTURED, name: "streamed" }],
  },
  {
    name: "LlamaIndex, Python",
    group: "litellm",
    program: "llama_index_client",
    // Structured output by a call of a tool that has the fields.
    tasks: [CHAT, TOOLS, { ...STRUCTURED, plans: [{ tool: "Weather", arguments: OSLO }] }],
  },
  { name: "OpenAI Agents SDK, Python", group: "openai", program: "openai_agents_client", tasks: ALL },
  { name: "Haystack", group: "openai", program: "haystack_client", tasks: ALL },
  {
    name: "DSPy",
    group: "litellm",
    program: "dspy_client",
    tasks: [
      { ...CHAT, result: ["Hello world"] },
      { ...STRUCTURED, plans: [{ text: JSON.stringify({ weather: OSLO }) }] },
      { name: "streamed", plans: [{ text: "[[ ## answer ## ]]\nHello world\n\n[[ ## completed ## ]]" }], result: "Hello world" },
    ],
  },
  {
    name: "smolagents",
    group: "openai",
    program: "smolagents_client",
    tasks: [CHAT, { ...TOOLS, plans: [...TOOLS.plans, { tool: "final_answer", arguments: { answer: "Hello world" } }] }],
  },
];
