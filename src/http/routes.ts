import type { Endpoint, Method } from "./endpoint.ts";

/** The endpoint that a request matched. */
export interface Found {
  readonly endpoint: Endpoint;
  /** Its path parameters. */
  readonly params: Readonly<Record<string, string>>;
}

/** A path such as `/api/keys/:id`, by segments. */
interface Pattern {
  readonly steps: readonly string[];
  readonly endpoint: Endpoint;
}

/** The table of endpoints, by method and path. */
export class Routes {
  /** Endpoints without path parameters, by method and path. */
  readonly #plain = new Map<string, Found>();
  readonly #patterns: Pattern[] = [];

  /** `basePath` is the prefix that a proxy may not strip. Paths without it match too. */
  constructor(endpoints: readonly Endpoint[], basePath = "") {
    // Paths without the base path come last, so that they win where both match.
    for (const base of new Set([basePath, ""])) {
      for (const endpoint of endpoints) this.#add(`${base}${endpoint.path}`, endpoint);
    }
  }

  /** The endpoint that matches a request exactly. HEAD matches GET. */
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

  /** Of two matches, a literal segment wins over a parameter. */
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

/** Undefined where one of them is not valid percent-encoding. */
function paramsOf(steps: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  try {
    const names = steps.flatMap((step, at) => (isName(step) ? [[step.slice(1), decodeURIComponent(given[at]!)] as const] : []));
    return Object.fromEntries(names);
  } catch {
    return undefined;
  }
}

/** Whether a path pattern such as `/api/keys/:id` matches this path. */
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
