import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { billOfMaterials } from "../../scripts/release/bill-of-materials.ts";
import { releaseChanges } from "../../scripts/release/changelog.ts";
import type { Lockfile } from "../../scripts/release/lockfile.ts";
import { thirdPartyLicenses } from "../../scripts/release/third-party-licenses.ts";
import { refuseEarlierVersion, VERSIONED_FILES, withVersion } from "../../scripts/release/version.ts";
import { dependencyPage } from "../../scripts/write-dependencies.ts";
import { ROOT } from "../support/gateway/start-gateway.ts";

const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");

test("every file that states the version states the next one after a release, and nothing else changes", () => {
  const texts = new Map(VERSIONED_FILES.map((file) => [file, read(file)]));
  const next = withVersion(texts, manifest.version, "98.76.54");
  for (const [file, text] of next) {
    expect([file, text.includes("98.76.54")]).toEqual([file, true]);
    expect([file, text.replaceAll("98.76.54", manifest.version)]).toEqual([file, texts.get(file)!]);
  }
  expect(() => withVersion(next, manifest.version, "98.76.55")).toThrow(`package.json does not state "version": "${manifest.version}"`);
});

test("a release is a semantic version after the current one", () => {
  for (const next of ["1.2.4", "1.3.0", "2.0.0", "1.10.0"]) refuseEarlierVersion("1.2.3", next);
  for (const next of ["1.2.3", "1.2.2", "1.1.9", "0.9.9"])
    expect(() => refuseEarlierVersion("1.2.3", next)).toThrow("does not follow 1.2.3");
  for (const next of ["1.2", "v1.2.4", "1.2.4-rc.1", ""]) expect(() => refuseEarlierVersion("1.2.3", next)).toThrow("is not a version");
});

test("a release dates the unreleased changes, and takes them as its notes", () => {
  const before = "# Changes\n\n## Unreleased, interface 1.1.0\n\n- New.\n\n## 0.1.0, interface 1.0.0\n\n- Old.\n";
  const { changelog, notes } = releaseChanges(before, "0.2.0", "2027-01-31");
  expect(changelog).toBe(before.replace("Unreleased", "0.2.0, 2027-01-31"));
  expect(notes).toBe("## 0.2.0, 2027-01-31, interface 1.1.0\n\n- New.\n");
  expect(() => releaseChanges(changelog, "0.3.0", "2027-02-28")).toThrow("no section ## Unreleased");
  expect(() => releaseChanges(before.replace("- New.\n", ""), "0.2.0", "2027-01-31")).toThrow("lists no unreleased change");
  // Directly after a release, its section is the newest one.
  const newest = new RegExp(`^## (Unreleased|${manifest.version}, \\d{4}-\\d\\d-\\d\\d), interface `, "m");
  const ours = read("CHANGELOG.md").replace(newest, "## Unreleased, interface ");
  expect(releaseChanges(ours, "98.76.54", "2027-01-31").notes.length).toBeGreaterThan(100);
});

test("the SBOM has what the package and the console need, with licences, checksums and what each needs", () => {
  const made = billOfMaterials(JSON.parse(read("package-lock.json")) as Lockfile, new Date(0)) as BillOfMaterials;
  expect([made.bomFormat, made.metadata.component["bom-ref"]]).toEqual(["CycloneDX", `pkg:npm/tollgate@${manifest.version}`]);
  const { dependencies } = JSON.parse(read("console/package.json")) as { dependencies: Record<string, string> };
  const direct = Object.entries({ ...manifest.dependencies, ...dependencies });
  const refs = direct.map(([name, version]) => `pkg:npm/${name.replace("@", "%40")}@${version}`).toSorted();
  expect(made.dependencies[0]).toEqual({ ref: `pkg:npm/tollgate@${manifest.version}`, dependsOn: refs });
  const known = made.components.map((component) => component["bom-ref"]);
  expect(known).toContainValues(refs);
  expect(made.dependencies.slice(1).map(({ ref }) => ref)).toEqual(known);
  expect(made.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !known.includes(ref))).toEqual([]);
  expect(made.components.filter(({ licenses, hashes }) => licenses?.length !== 1 || hashes?.length !== 1)).toEqual([]);
  expect(known.filter((ref) => /fast-check|typescript|playwright/.test(ref))).toEqual([]);
});

interface BillOfMaterials {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
  readonly components: readonly {
    readonly "bom-ref": string;
    readonly licenses?: readonly object[];
    readonly hashes?: readonly object[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

test("the text of each licence goes with the build", () => {
  const sections = thirdPartyLicenses(ROOT)
    .split(/\n\n(?=\S+ \d+\.\d+\.\d+\S*, .+\n-{80}\n)/)
    .slice(1);
  expect(sections.length).toBeGreaterThan(50);
  for (const name of ["kysely", "yaml", "openid-client", "react", "bun"])
    expect(sections.some((text) => text.startsWith(`${name} `))).toBe(true);
  expect(sections.find((text) => text.startsWith("react "))).toContain("Permission is hereby granted");
});

test("docs/dependencies.md has every direct dependency (npm run dependencies writes it)", () => {
  expect(read("docs/dependencies.md")).toBe(dependencyPage());
});
