/** The query parameters of a URL, all strings, so that URLs stay readable. */
type Search = Readonly<Record<string, string>>;

export function readSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}

/** A validator that picks these query parameters and drops all others. */
export function pickSearch<Name extends string>(...names: readonly Name[]): (search: Record<string, unknown>) => { [N in Name]?: string } {
  return (search) => {
    const given = names.filter((name) => typeof search[name] === "string" && search[name] !== "");
    return Object.fromEntries(given.map((name) => [name, search[name]])) as { [N in Name]?: string };
  };
}
