import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..");

/**
 * The bundler would embed absolute paths of the build machine. Instead, paths relative to a source file are resolved from the running
 * program, as if it were in this folder of the repository.
 */
export function findFromProgram(folder: string): Bun.BunPlugin {
  const placeOf = (path: string): string => `\`\${Bun.main}/../${relative(folder, path)}\``;
  return {
    name: "find from the program",
    setup(bundler) {
      bundler.onLoad({ filter: new RegExp(`^${RegExp.escape(join(ROOT, "src"))}/.*\\.ts$`) }, async ({ path }) => {
        const text = await Bun.file(path).text();
        const contents = text
          .replaceAll("import.meta.dir", placeOf(dirname(path)))
          .replaceAll("import.meta.url", `Bun.pathToFileURL(${placeOf(path)}).href`);
        return { contents, loader: "ts" };
      });
    },
  };
}
