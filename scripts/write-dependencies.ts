/** Writes docs/dependencies.md: every direct dependency with its licence and the reason for it. A test fails when it is out of date. */
import lock from "../package-lock.json" with { type: "json" };

const FILE = new URL("../docs/dependencies.md", import.meta.url);

/** A package of the project, and the reasons for its dependencies. */
interface Dependent {
  readonly heading: string;
  readonly intro: string;
  /** The package's path in the lockfile. */
  readonly place: string;
  readonly kind: "dependencies" | "devDependencies";
  readonly reasons: Readonly<Record<string, string>>;
}

const DEPENDENTS: readonly Dependent[] = [
  {
    heading: "Run time",
    intro: "Installed with the npm package, and inside the executable.",
    place: "",
    kind: "dependencies",
    reasons: {
      "@noble/ciphers": "XSalsa20-Poly1305, which Bun lacks: decrypts values of LiteLLM's database for the import",
      bun: "the runtime: sockets, SQLite, PostgreSQL client, bundler and test runner",
      kysely: "typed SQL with bound parameters, and migrations, for SQLite and PostgreSQL",
      "openid-client": "single sign-on: a certified implementation of OpenID Connect",
      yaml: "reads `tollgate.yaml` with the line and column of each value, for error messages",
    },
  },
  {
    heading: "Console",
    intro: "Built into the console's static files, or used by that build. Nothing of it is installed with the npm package.",
    place: "console",
    kind: "dependencies",
    reasons: {
      "@base-ui/react": "accessible dialogs, menus and selects without styles of their own",
      "@fontsource-variable/geist": "the typeface, served by Tollgate itself",
      "@fontsource-variable/geist-mono": "the typeface of code and figures",
      "@tailwindcss/node": "compiles the style sheet at build time",
      "@tailwindcss/oxide": "finds the style classes in use at build time",
      "@tanstack/react-query": "loads and caches answers of the platform API",
      "@tanstack/react-router": "typed routes and search parameters",
      "@tanstack/react-virtual": "draws only the visible rows of long lists",
      "lucide-react": "icons",
      react: "the user interface",
      "react-dom": "the user interface",
      tailwindcss: "the style sheet",
    },
  },
  {
    heading: "Development",
    intro: "For tests, checks and generated files. None is needed to run Tollgate.",
    place: "",
    kind: "devDependencies",
    reasons: {
      "@ai-sdk/openai-compatible": "real client in tests",
      "@anthropic-ai/sdk": "real client in tests",
      "@langchain/core": "real client in tests",
      "@langchain/openai": "real client in tests",
      "@lezer/highlight": "required by the PromQL parser",
      "@lezer/lr": "required by the PromQL parser",
      "@opentelemetry/api": "required by the OTLP decoder",
      "@opentelemetry/otlp-transformer": "an independent encoder of OTLP, to compare traces with",
      "@prometheus-io/lezer-promql": "parses the queries of the dashboard and alert rules in tests",
      "@pydantic/genai-prices": "source of the default prices",
      "@redocly/cli": "lints the OpenAPI documents",
      "@seriousme/openapi-schema-validator": "validates the OpenAPI documents",
      "@types/bun": "types of the runtime",
      ai: "real client in tests",
      ajv: "an independent JSON Schema validator, to compare requests and replies with",
      "axe-core": "accessibility checks of the console",
      "fast-check": "property tests",
      "oidc-provider": "a certified OpenID provider to sign in with in tests",
      openai: "real client in tests",
      "openai-6": "real client in tests: the previous major version",
      oxfmt: "formatter",
      oxlint: "linter",
      "oxlint-tsgolint": "linter rules that need types",
      "playwright-core": "drives a real browser in tests",
      publint: "checks the npm package",
      "smtp-server": "a real mail server for tests of email",
      standardwebhooks: "an independent check of webhook signatures",
      typescript: "type checker",
    },
  },
];

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const PACKAGES = lock.packages as Readonly<Record<string, LockedPackage>>;

/** Throws if a dependency has no reason, or a reason has no dependency. */
export function dependencyPage(): string {
  const intro = `# Dependencies

Every direct dependency with its version, licence and reason. Versions are exact. The SBOM of a release (\`tollgate-X.Y.Z.cdx.json\`, CycloneDX) lists the
indirect ones too.
`;
  return [intro, ...DEPENDENTS.map(sectionOf)].join("\n");
}

function sectionOf({ heading, intro, place, kind, reasons }: Dependent): string {
  const names = Object.keys(PACKAGES[place]![kind] ?? {}).toSorted();
  const stale = Object.keys(reasons).filter((name) => !names.includes(name));
  if (stale.length > 0) throw new Error(`scripts/write-dependencies.ts gives a reason for ${stale.join(", ")}, which nothing depends on`);
  const rows = names.map((name) => {
    const reason = reasons[name];
    if (reason === undefined) throw new Error(`scripts/write-dependencies.ts gives no reason for ${name}`);
    const { version, license } = PACKAGES[`${place}/node_modules/${name}`] ?? PACKAGES[`node_modules/${name}`]!;
    return `| ${name} | ${version} | ${license} | ${reason} |`;
  });
  return `## ${heading}\n\n${intro}\n\n| package | version | licence | reason |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

if (import.meta.main) await Bun.write(FILE, dependencyPage());
