import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";

export type Claims = Readonly<Record<string, unknown>>;

/** The deviations of a provider from correct behaviour. */
export interface Script {
  /** Changes to its discovery document. */
  readonly metadata?: Claims;
  /** Changes to the claims of its ID tokens. */
  readonly claims?: Claims;
  /** Creates an ID token from its claims, instead of signing them with the provider's key. */
  readonly sign?: (claims: Claims, key: SigningKey) => string | Promise<string>;
  /** Its responses by path. */
  readonly answers?: Readonly<Record<string, () => Response | Promise<Response>>>;
}

export interface RecordedCall {
  readonly path: string;
  readonly headers: Headers;
  readonly form: URLSearchParams;
}

/** An OpenID provider without a login page, which misbehaves by its script. Without a script it is correct. */
export class ScriptedProvider {
  readonly calls: RecordedCall[] = [];
  script: Script = {};
  #key: SigningKey;
  readonly #nonces = new Map<string, string>();
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: (request) => this.#answer(request) });

  private constructor(key: SigningKey) {
    this.#key = key;
  }

  static async start(): Promise<ScriptedProvider> {
    return new ScriptedProvider(await makeKey("first"));
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Rotates the signing key: new tokens use a new key, and the old key is no longer published. */
  async changeKeys(): Promise<void> {
    this.#key = await makeKey("second");
  }

  /** The callback URL. */
  agree(url: string): string {
    const asked = new URL(url).searchParams;
    const code = crypto.randomUUID();
    this.#nonces.set(code, asked.get("nonce")!);
    return `${asked.get("redirect_uri")}?${new URLSearchParams({ code, state: asked.get("state")! }).toString()}`;
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname: path } = new URL(request.url);
    const form = new URLSearchParams(await request.text());
    this.calls.push({ path, headers: request.headers, form });
    const scripted = this.script.answers?.[path];
    if (scripted) return scripted();
    if (path === "/.well-known/openid-configuration") return Response.json(this.#metadata());
    if (path === "/keys") return Response.json({ keys: [this.#key.publicJwk] });
    if (path === "/token") return Response.json({ access_token: "access", token_type: "Bearer", id_token: await this.#idToken(form) });
    return new Response("nothing here", { status: 404 });
  }

  #metadata(): Claims {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/keys`,
      id_token_signing_alg_values_supported: ["ES256"],
      ...this.script.metadata,
    };
  }

  async #idToken(form: URLSearchParams): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const times = { iat: nowSeconds, exp: nowSeconds + 60 };
    const nonce = this.#nonces.get(form.get("code")!);
    const claims = { iss: this.issuer, aud: "tollgate", sub: "ada", email: "ada@example.test", nonce, ...times, ...this.script.claims };
    return (this.script.sign ?? sign)(claims, this.#key);
  }
}

export interface SigningKey {
  readonly id: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

export async function makeKey(id: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { id, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: id, alg: "ES256", use: "sig" } };
}

export function sign(claims: Claims, { id, privateKey }: SigningKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: id }).sign(privateKey);
}
