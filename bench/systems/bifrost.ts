import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { install, SYSTEMS, type Launch, type Peer, type Place } from "./peer.ts";
import { USUAL_PRICE, type SystemRequirements } from "./system.ts";

const MODULE = "github.com/maximhq/bifrost/transports";
const VERSION = "1.6.11";
const FOLDER = join(SYSTEMS, `bifrost-${VERSION}`);
const PROGRAM = join(FOLDER, "bifrost-http");
const VIRTUAL_KEY = "sk-bf-bench";
const ABOUT = "One processor (`GOMAXPROCS=1`), models listed by name, price list, model parameters and MCP catalog from local files.";

const LEAN = { client: { enable_logging: false }, config_store: { enabled: false }, logs_store: { enabled: false } };

/** Bifrost with its defaults: configuration and request log in SQLite. */
export const bifrost: Peer = {
  name: "bifrost",
  version: VERSION,
  settings: `The defaults: configuration store and request log in SQLite, with prompts and responses, and a log line per request. No virtual key, except in P3. ${ABOUT}`,
  warmUpShare: 0.1,
  install: build,
  launch: (place) => launch(place, {}),
};

/** Bifrost as fast as its settings allow. */
export const bifrostLean: Peer = {
  ...bifrost,
  name: "bifrost-lean",
  settings: `Request log, log lines and both stores off (\`enable_logging\`, \`-log-level error\`, \`logs_store\`, \`config_store\`), and with them virtual keys and budgets. ${ABOUT}`,
  noBudget: "budgets are measured with the stores on",
  launch(place) {
    const { command, ...rest } = launch(place, LEAN);
    return { ...rest, command: [...command, "-log-level", "error"] };
  },
};

/** `go install` fails, because the module lacks the built web console that the program embeds. An empty page replaces it. */
function build(): string | null {
  if (existsSync(PROGRAM)) return null;
  if (Bun.which("go") === null) return "Go is not installed";
  const { stdout } = Bun.spawnSync(["go", "mod", "download", "-json", `${MODULE}@v${VERSION}`], { env: { ...process.env, GOWORK: "off" } });
  const { Dir: downloaded, Error: error } = JSON.parse(stdout.toString() || "{}") as { Dir?: string; Error?: string };
  if (downloaded === undefined)
    return `Go could not download ${VERSION}: ${error?.split("server response:").at(-1)?.trim() ?? "no answer"}`;
  const source = join(FOLDER, "source");
  rmSync(source, { recursive: true, force: true });
  cpSync(downloaded, source, { recursive: true });
  Bun.spawnSync(["chmod", "-R", "u+w", source]);
  mkdirSync(join(source, "bifrost-http/ui"));
  writeFileSync(join(source, "bifrost-http/ui/index.html"), "");
  const flags = ["-trimpath", "-ldflags", `-s -w -X main.Version=v${VERSION}`];
  return install(["go", "build", "-o", PROGRAM, ...flags, "./bifrost-http"], source, { GOWORK: "off", CGO_ENABLED: "1" });
}

function launch(place: Place, stores: object): Launch {
  const { port, folder, budget } = place;
  return {
    command: [PROGRAM, "-host", "127.0.0.1", "-port", String(port), "-app-dir", folder],
    files: {
      "config.json": JSON.stringify({ ...configOf(place), ...stores, ...(budget !== null && governanceOf(budget)) }),
      "prices.json": JSON.stringify(pricesOf(place)),
      "parameters.json": JSON.stringify(parametersOf(place)),
      "mcp.json": "{}",
    },
    environment: { GOMAXPROCS: "1" },
    headers: budget === null ? {} : { "x-bf-vk": VIRTUAL_KEY },
    path: "/openai/v1/chat/completions",
  };
}

/** The price list is also the list of known models. By default the lists come from the network, and without prices Bifrost does not start. */
function configOf({ folder, url, models }: Place): object {
  const [pricing_url, model_parameters_url, mcp_library_url] = ["prices", "parameters", "mcp"].map(
    (name) => `file://${folder}/${name}.json`,
  );
  const key = { name: "bench", value: "sk-bench", models: Object.keys(models), weight: 1 };
  return {
    $schema: "https://www.getbifrost.ai/schema",
    version: 2,
    framework: { pricing: { pricing_url, model_parameters_url, mcp_library_url } },
    providers: { openai: { keys: [key], network_config: { base_url: url.replace(/\/v1$/, ""), allow_private_network: true } } },
  };
}

function pricesOf({ models, price = USUAL_PRICE }: SystemRequirements): object {
  const entry = (model: string): object => ({
    input_cost_per_token: price.input / 1e6,
    output_cost_per_token: price.output / 1e6,
    mode: "chat",
    provider: "openai",
    base_model: model,
  });
  return Object.fromEntries(Object.keys(models).map((model) => [model, entry(model)]));
}

/** Parameters that are not listed are dropped from requests. */
function parametersOf({ models }: SystemRequirements): object {
  const model_parameters = ["max_tokens", "max_completion_tokens", "stream", "stream_options"].map((id) => ({ id }));
  const entry = { mode: "chat", supported_endpoints: ["/v1/chat/completions"], model_parameters };
  return Object.fromEntries(Object.keys(models).map((model) => [model, entry]));
}

/** A virtual key with a budget, which every request must have. */
function governanceOf(budget: number): object {
  const provider = { provider: "openai", weight: 1, allowed_models: ["*"], key_ids: ["*"] };
  return {
    client: { enforce_auth_on_inference: true },
    governance: {
      virtual_keys: [{ id: "bench", name: "bench", value: VIRTUAL_KEY, is_active: true, provider_configs: [provider] }],
      budgets: [{ id: "bench", max_limit: budget, reset_duration: "1M", virtual_key_id: "bench" }],
    },
  };
}
