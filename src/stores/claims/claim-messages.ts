/** `watch` is the asking process's number for its wait. The notice that the request in flight has ended carries the same number. */
export type ClaimMessage = readonly [watch: number, scope: string, digest: string, requestId: string];

export type FindMessage = readonly [watch: number, scope: string];

export type ReleaseMessage = readonly [scope: string, requestId: string];

/** `away`: the request in flight is in a process that is not connected. */
export type ClaimReply = readonly ["claimed"] | readonly ["in_flight", digest: string, requestId: string] | readonly ["away"];

export type FindReply = readonly [digest: string, requestId: string] | null;

/** The claims of a process's requests in flight. */
export type ClaimStatement = readonly (readonly [scope: string, digest: string, requestId: string])[];
