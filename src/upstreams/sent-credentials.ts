/** Redacts a credential in a message of the server that has received it: a secret, or the authorization of a request. */
export interface Redactor {
  redactFrom(text: string): string;
}

/** The credentials that the requests of a call have sent: a second request may have other credentials than the first. */
export class SentCredentials implements Redactor {
  readonly #sent: Redactor[];

  constructor(credential?: Redactor) {
    this.#sent = credential ? [credential] : [];
  }

  add(credential: Redactor): void {
    this.#sent.push(credential);
  }

  redactFrom(text: string): string {
    return this.#sent.reduce((rest, credential) => credential.redactFrom(rest), text);
  }
}
