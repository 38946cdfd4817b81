/** A key and a model. */
export interface KeyAndModel {
  readonly keyId: string;
  readonly model: string;
}

/** The name of a key and model, unique among the keys of an account. */
export function nameOfKey({ keyId, model }: KeyAndModel): string {
  return JSON.stringify([keyId, model]);
}

export function readKeyName(name: string): KeyAndModel {
  const [keyId, model] = JSON.parse(name) as [string, string];
  return { keyId, model };
}
