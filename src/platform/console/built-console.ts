import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { IncomingRequest } from "../../lib/http1/server/incoming-request.ts";

/** A file of the console, in the encodings that the build has produced. */
interface Asset {
  readonly type: string;
  readonly forms: ReadonlyMap<Encoding, Uint8Array<ArrayBuffer>>;
}

interface ConsoleBuild {
  readonly page: string;
  readonly keyPage: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const ENDINGS: readonly (readonly [ending: string, encoding: Encoding])[] = [
  [".br", "br"],
  [".gz", "gzip"],
  ["", "identity"],
];

const NOT_BUILT = "The console has not been built. Build it with:\n\n  npm run console\n";

/**
 * The built console. All files are read at the first visit and kept in memory: a build beside a running gateway must not replace the
 * files of open pages, and a file name from a request is never used as a path.
 */
export class BuiltConsole {
  readonly #folder: string;
  readonly #basePath: string;
  #reading: Promise<ConsoleBuild | undefined> | undefined;

  /** `basePath` is the prefix of all paths: `/tollgate`, or nothing. */
  constructor(folder: string, basePath: string) {
    this.#folder = folder;
    this.#basePath = basePath;
  }

  /** The single page. It shows a view depending on its URL. */
  async page(status = 200): Promise<Reply> {
    const built = await this.#read();
    return built ? pageReply(built.page, status) : notBuilt();
  }

  /** The page for holders of keys. It sends requests only to the gateway at this base URL. */
  async keyPage(gatewayUrl: string): Promise<Reply> {
    const built = await this.#read();
    return built ? pageReply(built.keyPage.replace("%GATEWAY%", () => Bun.escapeHTML(gatewayUrl))) : notBuilt();
  }

  /** A file by its name; undefined if it does not exist. */
  async asset(name: string, acceptedEncodings: string | null): Promise<Reply | undefined> {
    const asset = (await this.#read())?.assets.get(name);
    if (!asset) return undefined;
    const encoding = chooseEncoding(acceptedEncodings, (each) => asset.forms.has(each));
    const headers: Record<string, string> = { "content-type": asset.type };
    if (asset.forms.size > 1) headers["vary"] = "accept-encoding";
    if (encoding !== "identity") headers["content-encoding"] = encoding;
    return new Reply(asset.forms.get(encoding)!, { headers });
  }

  /**
   * Reads the build once, for all concurrent visits. Until a build exists, each visit checks again, because the build may be in progress.
   */
  #read(): Promise<ConsoleBuild | undefined> {
    this.#reading ??= this.#readIfThere();
    return this.#reading;
  }

  async #readIfThere(): Promise<ConsoleBuild | undefined> {
    let built: ConsoleBuild | undefined;
    try {
      built = await readWhole(this.#folder, this.#basePath).catch(undefinedIfMissing);
    } finally {
      if (!built) this.#reading = undefined;
    }
    return built;
  }
}

function pageReply(page: string, status = 200): Reply {
  return new Reply(page, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

function notBuilt(): Reply {
  return new Reply(NOT_BUILT, { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** If a build ends meanwhile, it replaces the files, and then the page differs too. */
async function readWhole(folder: string, basePath: string): Promise<ConsoleBuild | undefined> {
  return (await readBuilt(folder, basePath)) ?? readBuilt(folder, basePath);
}

/** Undefined if a page refers to missing files. */
async function readBuilt(folder: string, basePath: string): Promise<ConsoleBuild | undefined> {
  const template = await Bun.file(join(folder, "index.html")).text();
  const keyTemplate = await Bun.file(join(folder, "key.html")).text();
  const assets = await readAssets(join(folder, "assets"));
  const isWhole = (template + keyTemplate).matchAll(/%BASE%\/assets\/([\w.-]+)/g).every(([, name]) => assets.has(name!));
  if (!isWhole) return undefined;
  return { page: template.replaceAll("%BASE%", basePath), keyPage: keyTemplate.replaceAll("%BASE%", basePath), assets };
}

function undefinedIfMissing(thrown: unknown): undefined {
  if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
  throw thrown;
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const names = new Set(await readdir(folder));
  const plain = [...names].filter((name) => !/\.(br|gz)$/.test(name));
  return new Map(await Promise.all(plain.map(async (name) => [name, await readAsset(folder, name, names)] as const)));
}

async function readAsset(folder: string, name: string, names: ReadonlySet<string>): Promise<Asset> {
  const made = ENDINGS.filter(([ending]) => names.has(`${name}${ending}`));
  const forms = made.map(async ([ending, encoding]) => [encoding, await Bun.file(join(folder, `${name}${ending}`)).bytes()] as const);
  return { type: Bun.file(name).type, forms: new Map(await Promise.all(forms)) };
}

/** Whether the request is a person's navigation in a browser, and not a program's call. */
export function isVisit({ method, headers }: IncomingRequest): boolean {
  return method === "GET" && (headers.get("accept") ?? "").includes("text/html");
}

export type Encoding = "br" | "gzip" | "identity";

/** Smallest first. */
const PREFERRED: readonly Encoding[] = ["br", "gzip", "identity"];

/**
 * Negotiates the encoding by `Accept-Encoding`, RFC 9110 §12.5.3: the client's preference, and among equal preferences the smallest
 * encoding. A client that accepts none of them gets the identity encoding.
 */
export function chooseEncoding(accepted: string | null, has: (encoding: Encoding) => boolean): Encoding {
  const weights = readWeights(accepted ?? "");
  // Identity is acceptable without being named, but any named encoding is preferred.
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? weights.get("*") ?? (encoding === "identity" ? Number.MIN_VALUE : 0);
  const taken = PREFERRED.filter((encoding) => has(encoding) && weightOf(encoding) > 0);
  return taken.toSorted((one, other) => weightOf(other) - weightOf(one))[0] ?? "identity";
}

/** `br;q=0.5, gzip` as br → 0.5, gzip → 1. */
function readWeights(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name, ...parameters] = part.split(";").map((each) => each.trim());
    const weight = parameters.find((each) => each.startsWith("q="))?.slice(2);
    weights.set(name!, weight === undefined ? 1 : Number(weight) || 0);
  }
  return weights;
}
