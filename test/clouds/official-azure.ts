import { ClientCertificateCredential, ClientSecretCredential, DefaultAzureCredential, type TokenCredential } from "@azure/identity";

/** A task of the official library. */
export interface OfficialTask {
  readonly environment: Readonly<Record<string, string>>;
  /** A declared client; without it the library looks for an identity. */
  readonly client?: { readonly tenantId: string; readonly clientId: string; readonly secret?: string; readonly certificate?: string };
  readonly managedIdentityClientId?: string;
  /** The URL to which requests to the sign-in host are redirected. */
  readonly entra: string;
}

/**
 * A program that reads a task from stdin, and prints the access token that the official library obtains, or the reason why it obtains none.
 */
const task = (await Bun.stdin.json()) as OfficialTask;
Object.assign(process.env, { AZURE_TOKEN_CREDENTIALS: "prod", ...task.environment });

interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: { toJSON(): Record<string, string>; clone(): unknown };
  readonly body?: unknown;
}

/** The library accepts only https://, so its requests are redirected. */
const httpClient = {
  async sendRequest(request: Request): Promise<unknown> {
    const url = request.url.replace("https://login.microsoftonline.com", task.entra);
    const { method, headers, body } = request;
    const reply = await fetch(url, { method, headers: headers.toJSON(), ...(typeof body === "string" && { body }) });
    const received = new Map<string, string>(reply.headers);
    const read = {
      get: (name: string) => received.get(name.toLowerCase()),
      toJSON: () => Object.fromEntries(received),
      [Symbol.iterator]: () => received[Symbol.iterator](),
    };
    return { request, status: reply.status, headers: read, bodyAsText: await reply.text() };
  },
};

function credential(): TokenCredential {
  const options = { httpClient, retryOptions: { maxRetries: 0 } } as object;
  const { client, managedIdentityClientId } = task;
  if (client?.secret !== undefined) return new ClientSecretCredential(client.tenantId, client.clientId, client.secret, options);
  if (client?.certificate !== undefined) {
    return new ClientCertificateCredential(client.tenantId, client.clientId, { certificate: client.certificate }, options);
  }
  return new DefaultAzureCredential({ ...options, ...(managedIdentityClientId !== undefined && { managedIdentityClientId }) });
}

const outcome = await credential()
  .getToken("https://cognitiveservices.azure.com/.default")
  .then(
    (found) => found?.token ?? "none",
    (error: unknown) => String(error),
  );
process.stdout.write(JSON.stringify(outcome));
process.exit(0);
