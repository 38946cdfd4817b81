/** What stands behind the `?` of an address. All of it is text, so that addresses read as people write them. */
export type Search = Readonly<Record<string, string>>;

export function readSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
  const text = new URLSearchParams(given).toString();
  return text && `?${text}`;
}

/** Those of these names that an address has. Whatever else is in it is left out. */
export function pickSearch<Name extends string>(...names: readonly Name[]): (search: Record<string, unknown>) => { [N in Name]?: string } {
  return (search) => {
    const given = names.filter((name) => typeof search[name] === "string" && search[name] !== "");
    return Object.fromEntries(given.map((name) => [name, search[name]])) as { [N in Name]?: string };
  };
}
