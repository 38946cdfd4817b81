/** A response of the platform. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AnswerBody;
}

/** The fields of bodies that tests read. Each reply has some of them. */
interface AnswerBody {
  readonly id: string;
  readonly code: string;
  readonly token: string;
  readonly invitation: { readonly url: string };
  readonly data: readonly Record<string, unknown>[];
  readonly next: string | null;
}

/** A person with a browser: keeps the platform's cookie, and sends the headers that its own pages would send. */
export class Visitor {
  readonly #url: string;
  cookie: string | undefined;

  constructor(url: string, cookie?: string) {
    this.#url = url;
    this.cookie = cookie;
  }

  async call(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: "manual",
      headers: {
        "x-tollgate-request": "test",
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      if (/^(__Host-tollgate|tollgate_session)=/.test(cookie)) this.cookie = cookie.split(";")[0]!;
    }
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, text, body: (isJson ? JSON.parse(text) : {}) as AnswerBody };
  }

  /** Accepts an invitation link with this password, and returns the person. */
  async accept(link: string, more: object = {}): Promise<Answer> {
    return this.call("POST", "/api/invitations/accept", { token: tokenOf(link), password: PASSWORD, ...more });
  }

  signIn(email: string, password = PASSWORD): Promise<Answer> {
    return this.call("POST", "/api/sign-in", { email, password });
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.call("GET", "/api/me")).status === 200;
  }
}

export const PASSWORD = "correct horse battery";

export function tokenOf(link: string): string {
  return link.split("#")[1]!;
}

/** The first operator, signed in. */
export async function firstOperator(url: string, link: string): Promise<Visitor> {
  const visitor = new Visitor(url);
  const { status, text } = await visitor.accept(link, { email: "Ada@Example.test", name: "Ada" });
  if (status !== 200) throw new Error(text);
  return visitor;
}

/** A person who was invited and has accepted, with their ID. */
export async function invite(operator: Visitor, url: string, wanted: object): Promise<{ visitor: Visitor; id: string }> {
  const invited = await operator.call("POST", "/api/people", { name: "Bob", role: "member", account: "default", ...wanted });
  if (invited.status !== 201) throw new Error(invited.text);
  const visitor = new Visitor(url);
  const accepted = await visitor.accept(invited.body.invitation.url);
  if (accepted.status !== 200) throw new Error(accepted.text);
  return { visitor, id: invited.body.id };
}
