import type { Endpoint, Method } from "./endpoint.ts";

/** What a request is for. */
export interface Found {
  readonly endpoint: Endpoint;
  /** What stands for the names in its path. */
  readonly params: Readonly<Record<string, string>>;
}

/** A path such as `/api/keys/:id`, step by step. */
interface Pattern {
  readonly steps: readonly string[];
  readonly endpoint: Endpoint;
}

/** The table of endpoints, by method and path. */
export class Routes {
  /** By method and path, for those whose path has no names in it. */
  readonly #plain = new Map<string, Found>();
  readonly #patterns: Pattern[] = [];

  /** `basePath` is what paths begin with when a proxy leaves it on. They are found without it too. */
  constructor(endpoints: readonly Endpoint[], basePath = "") {
    // Those without the base path last: where the two meet, what a path says by itself counts.
    for (const base of new Set([basePath, ""])) {
      for (const endpoint of endpoints) this.#add(`${base}${endpoint.path}`, endpoint);
    }
  }

  /** The endpoint of a request, if it is written exactly as ours are. HEAD asks for what GET would answer. */
  find(method: string, target: string): Found | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    const query = target.indexOf("?");
    const path = query < 0 ? target : target.slice(0, query);
    return this.#plain.get(`${wanted} ${path}`) ?? this.#findPattern(wanted, path.split("/"));
  }

  #add(path: string, endpoint: Endpoint): void {
    if (!path.includes(":")) this.#plain.set(`${endpoint.method} ${path}`, { endpoint, params: {} });
    else this.#patterns.unshift({ steps: path.split("/"), endpoint });
  }

  /** Of two that match, the one that has a word of its own where the other has a name is meant. */
  #findPattern(method: string, given: readonly string[]): Found | undefined {
    let best: Pattern | undefined;
    for (const pattern of this.#patterns) {
      if (pattern.endpoint.method === (method as Method) && covers(pattern.steps, given) && isCloser(pattern, best)) best = pattern;
    }
    const params = best && paramsOf(best.steps, given);
    return best && params && { endpoint: best.endpoint, params };
  }
}

function isCloser({ steps }: Pattern, best: Pattern | undefined): boolean {
  if (best === undefined) return true;
  const differing = steps.findIndex((step, at) => isName(step) !== isName(best.steps[at]!));
  return differing >= 0 && !isName(steps[differing]!);
}

/** Undefined where one of them is no text that was made fit for a path. */
function paramsOf(steps: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  try {
    const names = steps.flatMap((step, at) => (isName(step) ? [[step.slice(1), decodeURIComponent(given[at]!)] as const] : []));
    return Object.fromEntries(names);
  } catch {
    return undefined;
  }
}

/** Whether a path such as `/api/keys/:id` covers this one. */
export function matches(pattern: string, path: string): boolean {
  return covers(pattern.split("/"), path.split("/"));
}

function covers(steps: readonly string[], given: readonly string[]): boolean {
  return steps.length === given.length && steps.every((step, at) => (isName(step) ? given[at] !== "" : step === given[at]));
}

function isName(step: string): boolean {
  return step.startsWith(":");
}

export function withoutBase(path: string, basePath = ""): string {
  return path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || "/" : path;
}
