/** Linux's flag for a descriptor that only names a file; the same value on every architecture, and not in Node's constants. */
export const O_PATH = 0o10000000
