/** Finds the changes between two OpenAPI documents that could break a client of the older one. */

type Json = Record<string, unknown>;

/** Requests may only be accepted more leniently than before, and replies may only become more complete. */
type Direction = "request" | "reply";

/** Every breaking change, as a sentence. None means that the change is additive. */
export function breakingChanges(older: Json, newer: Json): string[] {
  const changes: string[] = [];
  for (const [path, methods] of entries(older["paths"])) {
    for (const [method, operation] of entries(methods)) {
      const place = `${method.toUpperCase()} ${path}`;
      const now = at(newer, "paths", path, method);
      if (now === undefined) changes.push(`${place} was removed`);
      else changes.push(...operationChanges(place, operation as Json, now as Json, { older, newer }));
    }
  }
  return changes;
}

interface Documents {
  readonly older: Json;
  readonly newer: Json;
}

function operationChanges(place: string, older: Json, newer: Json, documents: Documents): string[] {
  const changes = contentChanges(`${place} request`, older["requestBody"], newer["requestBody"], "request", documents);
  for (const [status, reply] of entries(older["responses"])) {
    const now = at(newer, "responses", status);
    if (now === undefined) changes.push(`${place} no longer documents ${status}`);
    else changes.push(...contentChanges(`${place} ${status}`, reply, now, "reply", documents));
  }
  return changes;
}

function contentChanges(place: string, older: unknown, newer: unknown, direction: Direction, documents: Documents): string[] {
  return entries(at(older, "content")).flatMap(([type, media]) => {
    const now = at(newer, "content", type);
    if (now === undefined) return [`${place} is no longer ${type}`];
    if (type === "text/event-stream") return eventChanges(place, at(media, "schema"), at(now, "schema"), documents);
    return schemaChanges(place, at(media, "schema"), at(now, "schema"), direction, documents);
  });
}

/** A stream may get further kinds of events, as an operation may get further statuses. None may be removed or changed. */
function eventChanges(place: string, older: unknown, newer: unknown, documents: Documents): string[] {
  const kindsNow = kindsOf(newer, documents.newer);
  return kindsOf(older, documents.older).flatMap((kind) => {
    const changes = kindsNow.map((now) => schemaChanges(`${place} event`, kind, now, "reply", documents));
    return changes.find((each) => each.length === 0) ?? changes[0] ?? [];
  });
}

function kindsOf(events: unknown, document: Json): unknown[] {
  return (resolve(events, document)["oneOf"] as unknown[] | undefined) ?? [events];
}

function schemaChanges(place: string, olderRef: unknown, newerRef: unknown, direction: Direction, documents: Documents): string[] {
  const older = resolve(olderRef, documents.older);
  const newer = resolve(newerRef, documents.newer);
  return [
    ...typeChanges(place, older, newer, direction),
    ...boundChanges(place, older, newer, direction),
    ...propertyChanges(place, older, newer, direction, documents),
    ...alternativeChanges(place, older, newer, direction, documents),
    ...(older["items"] ? schemaChanges(`${place}[]`, older["items"], newer["items"] ?? {}, direction, documents) : []),
  ];
}

function typeChanges(place: string, older: Json, newer: Json, direction: Direction): string[] {
  const changes: string[] = [];
  if (older["type"] !== newer["type"]) changes.push(`${place} changed its type from ${String(older["type"])} to ${String(newer["type"])}`);
  const loser = direction === "request" ? older : newer;
  const winner = direction === "request" ? newer : older;
  if (loser["nullable"] === true && winner["nullable"] !== true)
    changes.push(`${place} may ${direction === "request" ? "no longer" : "now"} be null`);
  const values = loser["enum"] as string[] | undefined;
  const allowed = winner["enum"] as string[] | undefined;
  for (const value of values ?? []) if (allowed && !allowed.includes(value)) changes.push(`${place} changed in its value ${value}`);
  return changes;
}

function boundChanges(place: string, older: Json, newer: Json, direction: Direction): string[] {
  if (direction === "reply") return [];
  const tighter = (name: string, isTighter: (was: number, is: number) => boolean, open: number): string[] => {
    const was = (older[name] as number | undefined) ?? open;
    const is = (newer[name] as number | undefined) ?? open;
    return isTighter(was, is) ? [`${place} has a tighter ${name}`] : [];
  };
  const lower = ["minimum", "minLength", "minItems"].flatMap((name) => tighter(name, (was, is) => is > was, Number.NEGATIVE_INFINITY));
  const upper = ["maximum", "maxLength", "maxItems"].flatMap((name) => tighter(name, (was, is) => is < was, Number.POSITIVE_INFINITY));
  return [...lower, ...upper];
}

function propertyChanges(place: string, older: Json, newer: Json, direction: Direction, documents: Documents): string[] {
  const changes: string[] = [];
  for (const [name, property] of entries(older["properties"])) {
    const now = at(newer, "properties", name);
    if (now === undefined) changes.push(`${place}.${name} was removed`);
    else changes.push(...schemaChanges(`${place}.${name}`, property, now, direction, documents));
  }
  const was = (older["required"] as string[] | undefined) ?? [];
  const is = (newer["required"] as string[] | undefined) ?? [];
  if (direction === "request") changes.push(...is.filter((name) => !was.includes(name)).map((name) => `${place}.${name} is now required`));
  else changes.push(...was.filter((name) => !is.includes(name)).map((name) => `${place}.${name} is no longer always there`));
  if (newer["additionalProperties"] === false && older["additionalProperties"] !== false)
    changes.push(`${place} now refuses unknown fields`);
  return changes;
}

function alternativeChanges(place: string, older: Json, newer: Json, direction: Direction, documents: Documents): string[] {
  const now = (newer["oneOf"] as Json[] | undefined) ?? [];
  return ((older["oneOf"] as Json[] | undefined) ?? []).flatMap((alternative) => {
    const type = resolve(alternative, documents.older)["type"];
    const match = now.find((each) => resolve(each, documents.newer)["type"] === type);
    return match ? schemaChanges(place, alternative, match, direction, documents) : [`${place} can no longer be ${String(type)}`];
  });
}

function resolve(schema: unknown, document: Json): Json {
  const reference = at(schema, "$ref");
  return typeof reference === "string" ? (at(document, ...reference.slice(2).split("/")) as Json) : ((schema ?? {}) as Json);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, step) => (inner as Json | undefined)?.[step], value);
}

function entries(value: unknown): [string, unknown][] {
  return Object.entries((value ?? {}) as Json);
}
