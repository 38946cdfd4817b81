import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { install, SYSTEMS, type Peer, type Place } from "./peer.ts";
import { USUAL_PRICE } from "./system.ts";

const VERSION = "1.97.0";
/** The versions in LiteLLM's lock file: it does not start with a later FastAPI. */
const LOCKED = ["fastapi==0.136.3", "starlette==1.3.1", "uvicorn==0.51.0"];
const FOLDER = join(SYSTEMS, `litellm-${VERSION}`);
const PROGRAM = join(FOLDER, "bin/litellm");
const KEY = "sk-bench";

export const litellm: Peer = {
  name: "litellm",
  version: `${VERSION}, with ${LOCKED.join(", ").replaceAll("==", " ")}`,
  settings:
    "One worker, `LITELLM_MODE=PRODUCTION`, `LITELLM_LOG=ERROR`, a master key, prices in its config. No database: no stored keys, budgets or spend logs.",
  warmUpShare: 0.02,
  install() {
    if (existsSync(PROGRAM)) return null;
    const python = ["python3.13", "python3.12", "python3.11", "python3.10", "python3"].find(runs);
    if (python === undefined) return "Python is not installed";
    mkdirSync(SYSTEMS, { recursive: true });
    const pip = [join(FOLDER, "bin/pip"), "install", "--quiet", `litellm[proxy]==${VERSION}`, ...LOCKED];
    return install([python, "-m", "venv", FOLDER], SYSTEMS) ?? install(pip, SYSTEMS);
  },
  launch: (place) => ({
    command: [PROGRAM, "--config", "config.yaml", "--host", "127.0.0.1", "--port", String(place.port), "--num_workers", "1"],
    files: { "config.yaml": JSON.stringify(configOf(place)), "budgeted_key.py": budgetedKey(place.budget) },
    environment: { LITELLM_MODE: "PRODUCTION", LITELLM_LOG: "ERROR", LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_TELEMETRY: "False" },
    headers: { authorization: `Bearer ${KEY}` },
  }),
};

/** Whether the command works: a version manager may provide a command for a Python version that it does not run. */
function runs(name: string): boolean {
  return Bun.which(name) !== null && Bun.spawnSync([name, "--version"], { stdout: "ignore", stderr: "ignore" }).exitCode === 0;
}

/** JSON is YAML. */
function configOf({ url, models, price = USUAL_PRICE, budget }: Place): object {
  const costs = { input_cost_per_token: price.input / 1e6, output_cost_per_token: price.output / 1e6 };
  return {
    model_list: Object.keys(models).map((model) => ({
      model_name: model,
      litellm_params: { model: `openai/${model}`, api_base: url, api_key: "sk-bench", ...costs },
    })),
    general_settings: {
      master_key: budget === null ? KEY : "sk-master",
      ...(budget !== null && { custom_auth: "budgeted_key.user_api_key_auth", custom_auth_run_common_checks: true }),
    },
    litellm_settings: { request_timeout: 600 },
  };
}

/**
 * Keys with budgets are stored in Postgres, through a query engine that is downloaded from binaries.prisma.sh. Custom authentication
 * supplies the same key with the same `max_budget` without Postgres and without the engine, and LiteLLM enforces it by the same code.
 */
function budgetedKey(budget: number | null): string {
  return `from litellm.proxy._types import UserAPIKeyAuth


async def user_api_key_auth(request, api_key):
    return UserAPIKeyAuth(api_key=api_key, max_budget=${budget ?? "None"})
`;
}
