/** The folders of src, lowest layer first. A file may import its own folder and the layers below it, if `MAY_IMPORT` allows it. */
export const LAYERS: readonly (readonly string[])[] = [
  ["lib"],
  ["money"],
  ["models"],
  ["access"],
  ["requests"],
  ["alerts"],
  ["http", "stores", "upstreams", "telemetry", "reconciliation"],
  ["gateway", "platform", "alerts/rules", "alerts/delivery"],
  ["openapi", "config", "processes"],
  ["main"],
  ["cli"],
];

/** The nouns of the domain: pure, without I/O. */
const NOUNS = ["lib/**", "money/**", "models/**", "access/**", "requests/**", "alerts/*.ts"];
/** The port of a store. Only `stores/open-stores.ts` names its implementations. */
const PORTS = ["stores/*/*-store.ts"];
/** The neighbouring modules that every store may use. */
const STORE_BASE = [
  "stores/cached-records.ts",
  "stores/cannot-migrate.ts",
  "stores/change-listeners.ts",
  "stores/contains-text.ts",
  "stores/data-moved.ts",
  "stores/database.ts",
  "stores/folder-lock.ts",
  "stores/record-change.ts",
  "stores/vault.ts",
  "stores/last-used-times.ts",
  "stores/postgres/*.ts",
  "stores/sqlite/sqlite-database.ts",
];

/**
 * The allowed imports, lowest layer first. The first line whose pattern matches a file applies. `*` stands for one step of a path, `**` for
 * any number of steps, and `{own}` for the same step as in the pattern of the file.
 */
export const MAY_IMPORT: readonly (readonly [file: string, allowed: readonly string[]])[] = [
  ["lib/**", ["lib/**"]],
  ["money/**", ["lib/**", "money/**"]],
  ["models/**", ["lib/**", "money/**", "models/**"]],
  ["access/**", ["lib/**", "money/**", "models/**", "access/**"]],
  ["requests/**", ["lib/**", "money/**", "models/**", "requests/**"]],
  ["alerts/*.ts", ["lib/**", "money/**", "alerts/*.ts"]],

  ["http/**", [...NOUNS, "http/**"]],
  ["stores/stores.ts", [...NOUNS, "stores/**"]],
  ["stores/open-stores.ts", [...NOUNS, "stores/**"]],
  ["stores/open-cluster-stores.ts", [...NOUNS, "stores/**"]],
  ["stores/examine-folder.ts", [...NOUNS, "stores/**"]],
  ["stores/recover-folder.ts", [...NOUNS, "stores/**"]],
  ["stores/record-change.ts", [...NOUNS, "stores/database.ts", "stores/*/*-table.ts"]],
  ["stores/database.ts", [...NOUNS, "stores/*.ts", "stores/*/*-table.ts"]],
  ["stores/postgres/**", [...NOUNS, ...STORE_BASE, "stores/migrations/migrate.ts", "stores/postgres/**"]],
  ["stores/backup/**", [...NOUNS, "stores/**"]],
  ["stores/moving/**", [...NOUNS, "stores/**"]],
  ["stores/replication/**", [...NOUNS, ...PORTS, "stores/*/*-table.ts", "stores/replication/**"]],
  ["stores/{own}/**", [...NOUNS, ...STORE_BASE, "stores/{own}/**"]],
  ["stores/*.ts", [...NOUNS, "stores/*.ts"]],
  ["upstreams/registry.ts", [...NOUNS, "upstreams/**"]],
  ["upstreams/egress/**", [...NOUNS, "upstreams/*.ts", "upstreams/egress/**"]],
  ["upstreams/identities/**", [...NOUNS, "upstreams/*.ts", "upstreams/egress/**", "upstreams/identities/**"]],
  ["upstreams/streams/**", [...NOUNS, "upstreams/*.ts", "upstreams/egress/**", "upstreams/streams/**"]],
  // Bedrock serves Claude in Anthropic's own format, too.
  [
    "upstreams/bedrock/invoke-model.ts",
    [...NOUNS, "upstreams/*.ts", "upstreams/streams/**", "upstreams/bedrock/**", "upstreams/anthropic/*.ts"],
  ],
  [
    "upstreams/{own}/**",
    [...NOUNS, "upstreams/*.ts", "upstreams/egress/headers-read.ts", "upstreams/streams/**", "upstreams/claude/**", "upstreams/{own}/**"],
  ],
  ["upstreams/*.ts", [...NOUNS, "upstreams/*.ts", "upstreams/egress/**", "upstreams/streams/**"]],
  ["telemetry/{own}/**", [...NOUNS, "telemetry/{own}/**"]],
  ["reconciliation/**", ["lib/**", "money/**", "reconciliation/**"]],

  ["gateway/**", [...NOUNS, ...PORTS, "http/**", "upstreams/upstream.ts", "gateway/**"]],
  ["platform/**", [...NOUNS, ...PORTS, "http/**", "reconciliation/**", "platform/**"]],
  ["alerts/{own}/**", [...NOUNS, ...PORTS, "alerts/{own}/**"]],

  ["openapi.ts", [...NOUNS, "http/**", "gateway/**", "platform/**", "openapi/**"]],
  ["openapi/**", [...NOUNS, "http/**", "openapi/**"]],
  ["config.ts", [...NOUNS, "telemetry/traces/trace-settings.ts", "config/**"]],
  ["config/**", [...NOUNS, ...PORTS, "telemetry/traces/trace-settings.ts", "config.ts", "config/**"]],
  ["processes/**", ["lib/**", "processes/**"]],
  ["main.ts", ["**"]],
  ["main/**", ["**"]],
  [
    "cli/**",
    [
      ...NOUNS,
      "config.ts",
      "config/**",
      "main.ts",
      "main/first-run.ts",
      "main/backup/*.ts",
      "main/moving/*.ts",
      "main/preflight/*.ts",
      "main/processes/process-argument.ts",
      "main/processes/run-gateway-process.ts",
      "openapi/interface-version.ts",
      "http/serve.ts",
      "http/redact-secrets.ts",
      "stores/*.ts",
      "stores/integrity/folder-damaged.ts",
      "stores/ledger/processes/open-ledger.ts",
      "stores/migrations/migrate.ts",
      "telemetry/traces/trace-settings.ts",
      "upstreams/discover-models.ts",
      "cli/**",
      "../package.json",
      "../platform-client/types.ts",
    ],
  ],
];

/** The implementations of stores, by the first word of their names: only `main` and `stores` may name one. */
export const IMPLEMENTATION = /^stores\/[^/]+\/(embedded|memory|shared|sql)-/;

/** The imports of a file that no line of the table allows; undefined if no line matches the file. */
export function forbiddenImports(file: string, imports: readonly string[]): string[] | undefined {
  const rule = MAY_IMPORT.find(([pattern]) => toRegExp(pattern).test(file));
  if (!rule) return undefined;
  const own = toRegExp(rule[0]).exec(file)?.groups?.["own"] ?? "";
  const allowed = rule[1].map((pattern) => toRegExp(pattern.replace("{own}", own)));
  return imports.filter((imported) => {
    const isHidden = IMPLEMENTATION.test(imported) && !/^(main|stores)\b/.test(file);
    return isHidden || !allowed.some((pattern) => pattern.test(imported));
  });
}

/** The layer of a file, counted from the lowest; -1 if no layer contains its folder. */
export function layerOf(file: string): number {
  const inFolder = LAYERS.findIndex((folders) => folders.some((folder) => folder.includes("/") && file.startsWith(`${folder}/`)));
  if (inFolder >= 0) return inFolder;
  const top = file.split("/")[0]!.replace(/\.ts$/, "");
  return LAYERS.findIndex((folders) => folders.includes(top));
}

/** The imports of a file that belong to a higher layer than the file. */
export function upwardImports(file: string, imports: readonly string[]): string[] {
  return imports.filter((imported) => layerOf(imported) > layerOf(file));
}

function toRegExp(pattern: string): RegExp {
  const source = pattern.split(/(\*\*|\*|\{own\})/).map((piece) => {
    if (piece === "**") return ".*";
    if (piece === "*") return "[^/]*";
    return piece === "{own}" ? "(?<own>[^/]+)" : RegExp.escape(piece);
  });
  return new RegExp(`^${source.join("")}$`);
}
