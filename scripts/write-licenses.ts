/** Writes the licences of the packages in a build next to the build, for the npm package. */
import { join } from "node:path";
import { thirdPartyLicenses } from "./release/third-party-licenses.ts";

const ROOT = join(import.meta.dir, "..");

await Bun.write(join(ROOT, "dist/third-party-licenses.txt"), thirdPartyLicenses(ROOT));
