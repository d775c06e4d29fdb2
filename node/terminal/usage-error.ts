/** A mistake on the command line; the message says what to do instead. */
export class UsageError extends Error {}
