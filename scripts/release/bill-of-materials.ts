import { nameOf, neededBy, placesIn, ROOTS, type LockedPackage, type Lockfile } from "./lockfile.ts";

/**
 * The packages that a release contains or is built from, as an SBOM (software bill of materials): CycloneDX 1.6, made from the lockfile.
 * `npm sbom` omits packages that development tools need as well.
 */
export function billOfMaterials({ packages }: Lockfile, madeAt: Date): object {
  const root = packages[""]!;
  const places = placesIn(packages);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: madeAt.toISOString(),
      component: { ...componentOf("", root), type: "application" },
    },
    components: places.filter((place) => !ROOTS.includes(place)).map((place) => componentOf(place, packages[place]!)),
    dependencies: [
      { ref: refOf("", root), dependsOn: [...new Set(ROOTS.flatMap((place) => dependsOn(place, packages)))].toSorted() },
      ...places
        .filter((place) => !ROOTS.includes(place))
        .map((place) => ({ ref: refOf(place, packages[place]!), dependsOn: dependsOn(place, packages) })),
    ],
  };
}

function dependsOn(place: string, packages: Lockfile["packages"]): string[] {
  return neededBy(place, packages)
    .map((each) => refOf(each, packages[each]!))
    .toSorted();
}

function componentOf(place: string, { version, license, integrity, ...locked }: LockedPackage): object {
  const [algorithm, digest] = integrity?.split("-") ?? [];
  return {
    type: "library",
    "bom-ref": refOf(place, { version, ...locked }),
    name: nameOf(place, locked),
    version,
    purl: refOf(place, { version, ...locked }),
    ...(license !== undefined && { licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }] }),
    ...(algorithm === "sha512" && { hashes: [{ alg: "SHA-512", content: Buffer.from(digest!, "base64").toString("hex") }] }),
  };
}

/** A package URL, which names a package in one ecosystem: `pkg:npm/%40scope/name@1.2.3`. */
function refOf(place: string, locked: Pick<LockedPackage, "name" | "version">): string {
  return `pkg:npm/${nameOf(place, locked).replace("@", "%40")}@${locked.version}`;
}
