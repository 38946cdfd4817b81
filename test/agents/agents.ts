import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPackages } from "../clients/packages/install-packages.ts";
import { runClient } from "../clients/run-client.ts";

/** The folder of the agents: the latest versions for `npm run test:agents`, otherwise the pinned ones. */
export const packages = installPackages("test/agents/packages", process.env["TOLLGATE_TEST_AGENTS"] === "latest");

/** Where an agent runs: its home, and the folder of its project. */
export interface Workplace {
  readonly home: string;
  readonly project: string;
}

/** One run of an agent, without a terminal. */
export interface AgentRun {
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string;
  readonly prompt: string;
  /** More options of its command line. */
  readonly options?: readonly string[];
  /** More settings: the environment of Claude Code, lines of `config.toml` for Codex. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface AgentCommand {
  readonly command: readonly string[];
  readonly env: Record<string, string>;
}

export interface Agent {
  readonly name: string;
  readonly manifestName: string;
  readonly path: string;
  /** Writes the settings into the home and returns the command. */
  commandFor(place: Workplace, run: AgentRun): AgentCommand;
}

/** Nothing listens on this port, and only calls to this machine bypass the proxy. */
const PROXY = "http://127.0.0.1:1";
const LOOPBACK_ONLY = { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, http_proxy: PROXY, https_proxy: PROXY, NO_PROXY: "127.0.0.1,localhost" };

export const CLAUDE_CODE: Agent = {
  name: "Claude Code",
  manifestName: "@anthropic-ai/claude-code-linux-x64",
  path: "/v1/messages",
  commandFor({ home }, { baseUrl, model, key, prompt, options = [], settings }) {
    const program = join(packages!, "node_modules/@anthropic-ai/claude-code-linux-x64/claude");
    const tools = ["--allowedTools", "Write,Bash,Read,Edit,Agent"];
    return {
      command: [program, "-p", prompt, ...tools, "--output-format", "json", ...options],
      env: {
        PATH: process.env["PATH"]!,
        HOME: home,
        ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, ""),
        ANTHROPIC_AUTH_TOKEN: key,
        ANTHROPIC_MODEL: model,
        ANTHROPIC_SMALL_FAST_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        ...LOOPBACK_ONLY,
        ...settings,
      },
    };
  },
};

export const CODEX: Agent = {
  name: "Codex",
  manifestName: "@openai/codex",
  path: "/v1/responses",
  commandFor({ home }, { baseUrl, model, key, prompt, options = [], settings = {} }) {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
    const config = `model = "${model}"
model_provider = "tollgate"
approval_policy = "never"
sandbox_mode = "danger-full-access"
${lines.join("")}
[model_providers.tollgate]
name = "Tollgate"
base_url = "${baseUrl}"
env_key = "TOLLGATE_KEY"
wire_api = "responses"
`;
    writeFileSync(join(home, "config.toml"), config);
    const program = ["node", join(packages!, "node_modules/@openai/codex/bin/codex.js")];
    return {
      command: [...program, "exec", "--skip-git-repo-check", prompt, ...options],
      env: { PATH: process.env["PATH"]!, HOME: home, CODEX_HOME: home, TOLLGATE_KEY: key, ...LOOPBACK_ONLY },
    };
  },
};

/** Runs an agent to its end and returns what it prints. */
export function runAgent(agent: Agent, place: Workplace, run: AgentRun): Promise<string> {
  const { command, env } = agent.commandFor(place, run);
  return runClient(command, place.project, env);
}
