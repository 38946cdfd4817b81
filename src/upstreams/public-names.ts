/** An absolute path, one from a home or working directory, or any path of a model file: `/models/a.gguf`, `C:\\models\\a.gguf`. */
const FILE_PATH = /^(?:\/|~\/|\.{1,2}\/|[a-z]:[\\/]|\\\\)|\.gguf$/i;

/** A large model is split into several files, and is listed by the first one: `a-00001-of-00003.gguf`. */
const FILE_ENDING = /(?:-\d{5}-of-\d{5})?\.gguf$/i;

/**
 * A name is made from the last part of its path, from the last two parts if another model has the same last part, and from all parts if two
 * are not enough.
 */
const PART_COUNTS = [1, 2, Number.POSITIVE_INFINITY] as const;

/**
 * The public names of an upstream's models, one for each ID that it lists. llama.cpp, and vLLM with a local checkpoint, list the path
 * of a file, which would reveal the machine's file system and is long to type. All other IDs are names already (`llama3.2:3b`,
 * `meta-llama/Llama-3.1-8B`) and are used unchanged.
 */
export function publicNames(ids: readonly string[]): string[] {
  const names = PART_COUNTS.map((count) => ids.map((id) => nameOf(id, count)));
  const uses = names.map(countEach);
  return ids.map((_, at) => {
    const level = names.findIndex((each, count) => uses[count]!.get(each[at]!) === 1);
    return names.at(level)![at]!;
  });
}

function nameOf(id: string, partCount: number): string {
  if (!FILE_PATH.test(id)) return id;
  const parts = id.split(/[\\/]+/).filter((part) => !/^(?:|~|\.{1,2}|[a-z]:)$/i.test(part));
  const name = parts.slice(-partCount).join("/").replace(FILE_ENDING, "");
  // File names may contain characters that a model ID may not.
  return name === "" ? id : name.replaceAll(/[^!-)+-~]+/g, "-");
}

function countEach(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
