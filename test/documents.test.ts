import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandTables, HEADING } from "../scripts/write-commands.ts";
import { withLimits } from "../scripts/write-limits.ts";
import { HEADING as METRICS_HEADING, metricTables } from "../scripts/write-metrics.ts";
import { HEADING as PROVIDERS_HEADING, generatedTables } from "../scripts/write-providers.ts";
import { configFileSchema } from "../src/config/file-schema.ts";
import { TRACE_VARIABLES } from "../src/config/trace-settings.ts";
import { CLOUD_VARIABLES } from "../src/models/identities/cloud-variables.ts";
import { CREDENTIAL_VARIABLES } from "../src/models/presets.ts";
import { SETTINGS } from "../src/config.ts";
import { defaultPrices } from "../src/models/prices/default-prices.ts";
import { DEVIATIONS } from "../src/models/deviation.ts";
import { ERROR_CODES } from "../src/requests/api-error.ts";
import { OUTCOMES } from "../src/requests/logged-request.ts";
import type { Schema } from "../src/lib/schema/schema.ts";
import { ROOT } from "./support/gateway/start-gateway.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The first cells of the table rows under a heading, without their backquotes. */
function firstCells(document: string, heading: string): string[] {
  const section = read(document).split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]!);
}

describe("docs/errors.md", () => {
  test("explains every code, and no other", () => {
    expect(firstCells("docs/errors.md", "Error codes").toSorted()).toEqual(Object.keys(ERROR_CODES).toSorted());
  });

  test("gives each its status and type", () => {
    for (const [code, { status, type }] of Object.entries(ERROR_CODES)) {
      expect(read("docs/errors.md")).toContain(`| \`${code}\` | ${status} | \`${type}\` |`);
    }
  });

  test("every code is thrown somewhere", () => {
    const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test)\.ts$/.test(file));
    const code = sources.map((file) => read(join("src", file))).join("\n");
    expect(Object.keys(ERROR_CODES).filter((name) => !code.includes(`"${name}"`))).toEqual([]);
  });
});

describe("docs/configuration.md", () => {
  test("counts the default prices", () => {
    const priced = defaultPrices().providers.map(({ models }) => models.filter(({ prices }) => prices).length);
    const models = priced.reduce((sum, count) => sum + count, 0).toLocaleString("en-US");
    expect(read("docs/configuration.md")).toContain(
      `They cover ${models} models of ${priced.filter((count) => count > 0).length} providers.`,
    );
    expect(read("docs/configuration.md")).toContain(defaultPrices().from.split(" ")[1]!);
  });

  test("explains every variable, and no other", () => {
    expect(firstCells("docs/configuration.md", "Environment variables").toSorted()).toEqual(Object.values(SETTINGS).toSorted());
    expect(firstCells("docs/configuration.md", "Traces")).toEqual(Object.values(TRACE_VARIABLES));
    expect(firstCells("docs/configuration.md", "Start without a config file")).toEqual(CREDENTIAL_VARIABLES);
  });

  test("lists every variable of the clouds, and no other", () => {
    const rows = read("docs/configuration.md").match(/^\| (AWS|Google Cloud|Azure) \| .*\|$/gm) ?? [];
    const named = rows.flatMap((row) => [...row.matchAll(/`([A-Z\d_]+)`/g)].map(([, name]) => name!));
    expect([...new Set(named)].toSorted()).toEqual(CLOUD_VARIABLES.toSorted());
  });

  test("explains every field of the file, and no other", () => {
    expect(firstCells("docs/configuration.md", "tollgate.yaml").toSorted()).toEqual(fieldsOf(configFileSchema).toSorted());
  });
});

/** Every field by its path. Fields that occur in two places are explained in the first. */
function fieldsOf(schema: Schema, prefix = "", seen = new Set<Schema>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const properties = [schema, ...(schema.oneOf ?? [])].flatMap((each) => Object.entries(each.properties ?? {}));
  return properties.flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    return [path, ...fieldsOf(property.items ?? property, `${path}${property.items ? "[]" : ""}.`, seen)];
  });
}

test("docs/wire-format.md explains every kind of deviation, and no other, and says which are mended", () => {
  expect(firstCells("docs/wire-format.md", "Format deviations")).toEqual(Object.keys(DEVIATIONS));
  for (const [kind, handling] of Object.entries(DEVIATIONS)) expect(read("docs/wire-format.md")).toContain(`| \`${kind}\` | ${handling} |`);
});

test("docs/traces.md explains every attribute of a span, and no other", () => {
  const folder = "src/telemetry/traces";
  const code = readdirSync(join(ROOT, folder))
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) => read(join(folder, file)));
  const names = code.join("\n").matchAll(/\[["`]((?:gen_ai|http|server|error|user|tollgate)\.[\w.]+)(?:\$\{name\})?["`],/g);
  // An attribute of tags ends with the name of the tag.
  const told = new Set([...names].map((match) => match[1]!.replace(/\.$/, ".NAME")));
  expect(told.size).toBeGreaterThan(30);
  expect(firstCells("docs/traces.md", "Span attributes").toSorted()).toEqual([...told].toSorted());
});

test("docs/platform.md, or a page that it links to, documents every operation of the platform API, and no other", () => {
  const { paths } = JSON.parse(read("openapi/platform.json")) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => (METHODS.has(method) ? `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, ":")}` : [])),
  );
  const linked = [...read("docs/platform.md").matchAll(/\]\(([\w-]+\.md)/g)].map((match) => match[1]!);
  const text = ["platform.md", ...new Set(linked)].map((page) => read(`docs/${page}`)).join("\n");
  const named = [...text.matchAll(/`([A-Z]+) (\/(?:api|metrics)[^`?\s]*)/g)].map(
    ([, method, path]) => `${method} ${path!.replaceAll(/:\w+/g, ":")}`,
  );
  expect(operations.length).toBeGreaterThan(70);
  expect([...new Set(named)].filter((each) => each !== SIGN_IN_PAGE).toSorted()).toEqual(operations.toSorted());
});

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** A page for browsers, which redirects to the identity provider. It is not part of the API. */
const SIGN_IN_PAGE = "GET /api/sign-in/oidc";

test("docs/command-line.md lists every command, as its help has it", () => {
  expect(read("docs/command-line.md").split(HEADING)[1]).toBe(commandTables());
});

test("docs/providers.md lists every preset, as it is", () => {
  expect(read("docs/providers.md").split(PROVIDERS_HEADING)[1]).toBe(generatedTables());
});

test("docs/metrics.md lists every metric, with its labels and how many series it has at most", () => {
  expect(read("docs/metrics.md").split(METRICS_HEADING)[1]).toBe(metricTables());
});

test("docs/configuration.md has the rate limits", () => {
  expect(read("docs/configuration.md")).toBe(withLimits(read("docs/configuration.md")));
});

test("CONTRIBUTING.md, CHANGELOG.md and README.md name only npm scripts that exist", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const texts = ["CONTRIBUTING.md", "CHANGELOG.md", "README.md"].map(read).join("\n");
  const names = [...texts.matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test.each(["docs/traces.md", "docs/request-log.md"])("%s names every outcome of a request, and no other", (document) => {
  const row = /^\| `(?:tollgate\.)?outcome` \|.*$/m.exec(read(document))![0];
  const names = [...row.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]!).filter((name) => name !== "outcome");
  expect(names).toEqual([...OUTCOMES]);
});

describe("links between documents", () => {
  const pages = readdirSync(join(ROOT, "docs")).filter((file) => file.endsWith(".md"));
  const root = readdirSync(ROOT).filter((file) => file.endsWith(".md"));
  const documents = [...root, ...pages.map((file) => `docs/${file}`)];
  for (const document of documents) {
    test(`${document} links to files and headings that exist`, () => {
      expect(brokenLinksIn(document, read(document))).toEqual([]);
    });
  }

  for (const document of ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/internals.md"]) {
    test(`${document} names only files that exist`, () => {
      const names = [...read(document).matchAll(/`((?:[a-z0-9-]+\/)*[a-z0-9-]+(?:\.test)?\.ts)`/g)].map((match) => match[1]!);
      const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter(
        (file) => file.endsWith(".ts") && !file.startsWith("node_modules"),
      );
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)))).toEqual([]);
    });
  }
});

test("docs/README.md lists every page once, under All pages, in a group: the navigation of the console", () => {
  const pages = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const groups = read("docs/README.md").split("\n## All pages\n")[1]!.split("\n### ").slice(1);
  const listed = groups.flatMap((group) => [...group.matchAll(/^\| \[[^\]]+\]\(([^)#]+)/gm)].map((match) => match[1]!));
  expect(listed.toSorted()).toEqual(pages.filter((file) => file !== "README.md").toSorted());
});

test("the console links to documentation that exists", () => {
  const sources = readdirSync(join(ROOT, "console/src"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".tsx"));
  const code = sources.map((file) => read(join("console/src", file))).join("\n");
  const links = [...code.matchAll(/(?:\bdocs=|\bdocs: |<DocsLink to=)"([\w/#-]+)"/g)].map((match) => match[1]!);
  expect(links.length).toBeGreaterThan(15);
  expect(links.flatMap((link) => brokenLinksIn("docs/README.md", `](${link.replace(/^[^#]+/, "$&.md")})`))).toEqual([]);
});

function brokenLinksIn(document: string, text: string): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)]+)\)/g)].map((match) => match[1]!);
  return links.filter((link) => {
    const [path, anchor] = link.split("#");
    const file = path === "" ? document : join(dirname(document), path!);
    if (!statSync(join(ROOT, file), { throwIfNoEntry: false })) return true;
    return anchor !== undefined && !anchorsIn(read(file)).has(anchor);
  });
}

/**
 * The anchors of the headings, as GitHub generates them:
 * https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/about-readmes#section-links-in-readmes-and-blob-pages.
 */
function anchorsIn(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/^```.*?^```/gms, "").matchAll(/^#{1,6} (.*)$/gm);
  const anchors = new Set<string>();
  for (const [, heading] of headings) {
    const plain = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .trim();
    const anchor = plain.replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number++;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}
