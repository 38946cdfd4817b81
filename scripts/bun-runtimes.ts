/** Bun for other platforms, from the npm packages that package-lock.json names. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** The package of each platform's Bun. */
const PACKAGES = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-x64-musl": "@oven/bun-linux-x64-musl",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "linux-arm64-musl": "@oven/bun-linux-aarch64-musl",
  "darwin-x64": "@oven/bun-darwin-x64",
  "darwin-arm64": "@oven/bun-darwin-aarch64",
} as const;

export type Platform = keyof typeof PACKAGES;

export const PLATFORMS = Object.keys(PACKAGES) as Platform[];

export function isPlatform(word: string): word is Platform {
  return Object.hasOwn(PACKAGES, word);
}

/** What the compiler needs for another platform. */
export interface Runtime {
  readonly target: Bun.Build.CompileTarget;
  /** The Bun executable. */
  readonly executablePath: string;
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string } | undefined>>;
}

/** Downloads Bun for these platforms into a folder, and compares each package with the digest in package-lock.json. */
export async function downloadRuntimes(platforms: readonly Platform[], folder: string): Promise<ReadonlyMap<Platform, Runtime>> {
  const { packages } = (await Bun.file(join(ROOT, "package-lock.json")).json()) as LockFile;
  const runtimes = new Map<Platform, Runtime>();
  for (const platform of platforms) {
    const locked = packages[`node_modules/${PACKAGES[platform]}`]!;
    const own = join(folder, platform);
    await mkdir(own);
    const name = run("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", own, `${PACKAGES[platform]}@${locked.version}`);
    const archive = join(own, name.trim());
    const found = `sha512-${new Bun.CryptoHasher("sha512").update(await Bun.file(archive).bytes()).digest("base64")}`;
    if (found !== locked.integrity) throw new Error(`${PACKAGES[platform]} is not the package that package-lock.json names`);
    run("tar", "-xzf", archive, "-C", own, "--strip-components=2", "package/bin/bun");
    runtimes.set(platform, { target: `bun-${platform}`, executablePath: join(own, "bun") });
  }
  return runtimes;
}

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
  return stdout.toString();
}
