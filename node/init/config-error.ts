/** A configuration that can't be changed safely; the message says why. The file stays as it is. */
export class ConfigError extends Error {}
