import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nameOf, placesIn, ROOTS, type Lockfile } from "./lockfile.ts";

const LICENSE = /^(licen[cs]e|copying|notice)/i;
const LINE = "-".repeat(80);

/** The licences of all packages whose code is in a build: most of them require that their text is included. */
export function thirdPartyLicenses(root: string): string {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
  const sections = placesIn(packages)
    // A package for another platform is not installed.
    .filter((place) => !ROOTS.includes(place) && existsSync(join(root, place)))
    .map((place) => {
      const locked = packages[place]!;
      const texts = readdirSync(join(root, place)).filter((file) => LICENSE.test(file));
      const text = texts.map((file) => readFileSync(join(root, place, file), "utf8").trim()).join("\n\n");
      return `${nameOf(place, locked)} ${locked.version}, ${locked.license}\n${LINE}\n${text === "" ? "The package has no text of its licence." : text}\n`;
    });
  return `Tollgate contains code of these packages.\n\n${sections.join("\n\n")}`;
}
